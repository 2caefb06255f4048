// An application that uses passport-openidconnect with Express. The library supports neither PKCE nor refresh tokens.
import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy } from 'passport-openidconnect';
import { isOver, noteSignOut } from './sign-outs.mjs';

const { PORT, ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;
const tokenURL = `${ISSUER}/authsvc/oidc/token`;
const settings = {
  issuer: ISSUER,
  authorizationURL: `${ISSUER}/authsvc/oidc/authorize`,
  tokenURL,
  userInfoURL: `${ISSUER}/authsvc/oidc/userinfo`,
  clientID: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  callbackURL: '/callback',
  scope: 'profile',
  nonce: true,
};
const sidOf = (idToken) => JSON.parse(Buffer.from(idToken.split('.')[1], 'base64url')).sid;
passport.use(
  new Strategy(settings, (_issuer, profile, _context, idToken, accessToken, refreshToken, done) =>
    done(null, { name: profile.username, sid: sidOf(idToken), accessToken, refreshToken }),
  ),
);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, isOver(user.sid) ? false : user));

const app = express();
app.post('/backchannel', express.urlencoded(), async (request, reply) => {
  await noteSignOut(request.body.logout_token);
  reply.end();
});
app.use(session({ secret: 'trial', resave: false, saveUninitialized: false }), passport.session());
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/', failWithError: true }));
app.get('/refresh', async ({ user }, reply) => {
  const answer = await fetch(tokenURL, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: user.refreshToken }),
  });
  const tokens = await answer.json();
  reply.end(answer.ok && tokens.access_token !== user.accessToken ? 'refreshed' : JSON.stringify(tokens));
});
app.get('/', (request, reply, next) => {
  if (request.user) reply.end(`user ${request.user.name}`);
  else passport.authenticate('openidconnect')(request, reply, next);
});
app.listen(Number(PORT));
