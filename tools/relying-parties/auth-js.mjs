// An application that uses Auth.js (@auth/express), which next-auth also uses.
import { ExpressAuth, getSession } from '@auth/express';
import express from 'express';
import { isOver, noteSignOut } from './sign-outs.mjs';

const { PORT, ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;

async function refresh(token) {
  const answer = await fetch(`${ISSUER}/authsvc/oidc/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token.refreshToken }),
  });
  const tokens = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(tokens));
  return { ...token, accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
}

const config = {
  secret: 'secret-of-the-trial',
  trustHost: true,
  session: { strategy: 'jwt' },
  providers: [
    {
      id: 'authsvc',
      name: 'authsvc',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      checks: ['pkce', 'state', 'nonce'],
      profile: ({ sub, name, preferred_username }) => ({ id: sub, name: preferred_username ?? name }),
    },
  ],
  callbacks: {
    jwt: ({ token, account, profile, trigger }) => {
      if (account)
        return { ...token, sid: profile.sid, accessToken: account.access_token, refreshToken: account.refresh_token };
      if (isOver(token.sid)) return null;
      return trigger === 'update' ? refresh(token) : token;
    },
    session: ({ session, token }) => ({ ...session, accessToken: token.accessToken }),
  },
};

const app = express();
app.set('trust proxy', true);
app.post('/backchannel', express.urlencoded(), async (request, reply) => {
  await noteSignOut(request.body.logout_token);
  reply.end();
});
app.use('/auth', ExpressAuth(config));
app.get('/', async (request, reply) => {
  const session = await getSession(request, config);
  if (session) reply.end(`user ${session.user.name}`);
  else reply.redirect('/auth/signin');
});
app.listen(Number(PORT));
