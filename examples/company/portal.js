// An application that checks its visitors with the package authsvc-client. AUTH is the public URL of authsvc. INSIDE is its URL on
// this machine, which the application uses for its own requests, so that they do not go through nginx.
import process from 'node:process';
import { createAuth } from 'authsvc-client';
import { protect } from 'authsvc-client/express';
import express from 'express';

const { AUTH, INSIDE, AUTHSVC_SECRET, OWN, PORT } = process.env;
const auth = createAuth({
  server: AUTH,
  app: 'portal',
  secret: AUTHSVC_SECRET,
  url: OWN,
  fetch: (address, init) =>
    fetch(address.replace(AUTH, INSIDE), { ...init, headers: { ...init.headers, 'x-forwarded-proto': 'https' } }),
});
const app = express();
app.use(protect(auth));
app.get('/', (request, response) => response.type('text').send(`Portal of ${request.visitor.username}`));
app.listen(Number(PORT), '127.0.0.1');
