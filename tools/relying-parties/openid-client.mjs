// An application that uses openid-client on node:http.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as client from 'openid-client';
import { isOver, noteSignOut } from './sign-outs.mjs';

const { PORT, URL: own, ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env;
const options = { execute: [client.allowInsecureRequests, client.enableNonRepudiationChecks] };
const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, options);
const sessions = new Map();

const routes = {
  'GET /': async (reply, session) => {
    if (session.claims && !isOver(session.claims.sid)) return reply.end(`user ${session.claims.preferred_username}`);
    session.verifier = client.randomPKCECodeVerifier();
    const to = client.buildAuthorizationUrl(config, {
      redirect_uri: `${own}/callback`,
      scope: 'openid profile',
      code_challenge: await client.calculatePKCECodeChallenge(session.verifier),
      code_challenge_method: 'S256',
    });
    return reply.writeHead(302, { location: to.href }).end();
  },
  'GET /callback': async (reply, session, url) => {
    session.tokens = await client.authorizationCodeGrant(config, url, { pkceCodeVerifier: session.verifier });
    session.claims = session.tokens.claims();
    reply.writeHead(302, { location: '/' }).end();
  },
  'GET /refresh': async (reply, session) => {
    const before = session.tokens.access_token;
    session.tokens = await client.refreshTokenGrant(config, session.tokens.refresh_token);
    await client.fetchUserInfo(config, session.tokens.access_token, session.claims.sub);
    reply.end(session.tokens.access_token === before ? 'the same' : 'refreshed');
  },
  'POST /backchannel': async (reply, _session, _url, body) => {
    await noteSignOut(new URLSearchParams(body).get('logout_token'));
    reply.end();
  },
};

createServer(async (request, reply) => {
  const id = /rp=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? randomUUID();
  const session = sessions.get(id) ?? {};
  sessions.set(id, session);
  reply.setHeader('set-cookie', `rp=${id}; HttpOnly`);
  const url = new URL(request.url, own);
  try {
    await routes[`${request.method} ${url.pathname}`](reply, session, url, await text(request));
  } catch (error) {
    reply.writeHead(500).end(String(error.stack));
  }
}).listen(PORT);
