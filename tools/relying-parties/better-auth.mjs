// An application that uses better-auth with its plug-in for any OpenID Connect provider.
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import { genericOAuth } from 'better-auth/plugins';
import express from 'express';
import { isOver, noteSignOut } from './sign-outs.mjs';

const { PORT, URL: own, ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;
const database = { user: [], session: [], account: [], verification: [] };
const auth = betterAuth({
  baseURL: own,
  secret: 'secret-of-the-trial-that-is-long-enough-0123',
  database: memoryAdapter(database),
  telemetry: { enabled: false },
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'authsvc',
          discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          scopes: ['openid', 'profile', 'email'],
          pkce: true,
          // better-auth requires an e-mail address, but a user of authsvc may have none.
          mapProfileToUser: ({ sub, email, preferred_username }) => ({
            email: email ?? `${sub}@users.invalid`,
            name: preferred_username,
          }),
        },
      ],
    }),
  ],
});
const sidOf = (idToken) => JSON.parse(Buffer.from(idToken.split('.')[1], 'base64url')).sid;

const app = express();
app.post('/backchannel', express.urlencoded(), async (request, reply) => {
  await noteSignOut(request.body.logout_token);
  reply.end();
});
app.all('/api/auth/{*path}', toNodeHandler(auth));
const current = async (request) => {
  const found = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
  const account = database.account.find(({ userId }) => userId === found?.user.id);
  return found && account && !isOver(sidOf(account.idToken)) ? { user: found.user, account } : undefined;
};
app.get('/', async (request, reply) => {
  const found = await current(request);
  if (found) return reply.end(`user ${found.user.name}`);
  const body = { provider: 'authsvc', callbackURL: '/' };
  const { headers, response } = await auth.api.signInSocial({ body, returnHeaders: true });
  for (const cookie of headers.getSetCookie()) reply.append('set-cookie', cookie);
  return reply.redirect(response.url);
});
app.get('/refresh', async (request, reply) => {
  const { account } = await current(request);
  const before = account.accessToken;
  const headers = fromNodeHeaders(request.headers);
  const tokens = await auth.api.refreshToken({ body: { accountId: account.id }, headers });
  reply.end(tokens.accessToken !== before ? 'refreshed' : 'the same');
});
app.listen(Number(PORT));
