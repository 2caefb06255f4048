// Keeps the sessions that the service has ended and reported by back-channel logout.
import { createRemoteJWKSet, jwtVerify } from 'jose';

const { ISSUER, CLIENT_ID } = process.env;
const keys = createRemoteJWKSet(new URL(`${ISSUER}/authsvc/oidc/jwks`));
const ended = new Set();

/** Checks a logout token, and stores the session that it names. */
export async function noteSignOut(token) {
  const { payload } = await jwtVerify(token, keys, { issuer: ISSUER, audience: CLIENT_ID, typ: 'logout+jwt' });
  if (!payload.events?.['http://schemas.openid.net/event/backchannel-logout'] || payload.nonce !== undefined)
    throw new Error('this is no logout token');
  ended.add(payload.sid);
}

export const isOver = (sid) => ended.has(sid);
