// An Express application that accepts a signed token until the token expires, even if its user has been changed or
// removed since.
import process from 'node:process';
import express from 'express';
import { generateKeyPair, jwtVerify, SignJWT } from 'jose';

const { privateKey, publicKey } = await generateKeyPair('ES256');
const app = express();
app.post('/login', express.json(), async (request, response) => {
  const token = await new SignJWT({ sub: request.body.username })
    .setProtectedHeader({ alg: 'ES256' })
    .setExpirationTime('2d')
    .sign(privateKey);
  response.cookie('token', token, { httpOnly: true, sameSite: 'lax' }).json({ success: true });
});
app.get('/check', async (request, response) => {
  const [, token = ''] = /(?:^|; )token=([^;]+)/.exec(request.headers.cookie ?? '') ?? [];
  const { payload } = await jwtVerify(token, publicKey);
  response.json({ username: payload.sub });
});
app.get('/', (_request, response) => response.json({ status: 'ok' }));
app.listen(Number(process.env.PORT), '127.0.0.1');
