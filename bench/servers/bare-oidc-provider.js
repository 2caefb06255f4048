// A server with oidc-provider and its in-memory adapter. It has one user, who is always signed in and never asked for
// consent.
import { createServer } from 'node:http';
import process from 'node:process';
import Provider from 'oidc-provider';

const { PORT, BENCH_SECRET } = process.env;
const scope = 'openid profile';
const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  clients: [
    {
      client_id: 'bench',
      client_secret: BENCH_SECRET,
      redirect_uris: ['https://bench.example.test/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
  cookies: { keys: [BENCH_SECRET] },
  features: { devInteractions: { enabled: false }, introspection: { enabled: true } },
  claims: { openid: ['sub'], profile: ['name', 'preferred_username'] },
  conformIdTokenClaims: false,
  findAccount: async (_context, accountId) => ({
    accountId,
    claims: async () => ({ sub: accountId, name: 'Bench', preferred_username: 'bench' }),
  }),
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  loadExistingGrant: async (context) => {
    const { account, client, session } = context.oidc;
    if (!account) return undefined;
    const known = session.grantIdFor(client.clientId);
    if (known) return provider.Grant.find(known);
    const grant = new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
    grant.addOIDCScope(scope);
    await grant.save();
    return grant;
  },
});
const answer = provider.callback();

createServer(async (request, reply) => {
  if (request.url === '/ready') reply.end('ready');
  else if (request.url.startsWith('/interaction/'))
    await provider.interactionFinished(request, reply, { login: { accountId: 'bench' } });
  else await answer(request, reply);
}).listen(Number(PORT), '127.0.0.1');
