// A small application in a separate process. It replies to each request with the name of the visitor. Arguments: the URL
// of the service, the key and the secret.
import process from 'node:process';
import { createAuth } from 'authsvc-client';
import { protect } from 'authsvc-client/express';
import express from 'express';

const [server, app, secret] = process.argv.slice(2);
const auth = createAuth({ server, app, secret });
const application = express();
application.use(protect(auth, { tokens: true }));
application.get('/', (request, response) => response.send(request.visitor.username));
const listener = application.listen(0, '127.0.0.1', () => process.stdout.write(`${listener.address().port}`));
