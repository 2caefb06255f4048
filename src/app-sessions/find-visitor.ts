import type { Caller } from '../api-tokens/caller.ts';
import { checkToken } from '../api-tokens/find-token.ts';
import type { Services } from '../http/route.ts';
import { countCheck } from '../lib/counts.ts';
import { tokenOf } from '../proxy-auth/credential.ts';
import { findSession, type SessionLookup } from '../sessions/find-session.ts';
import { openedIds } from '../sessions/sealed-id.ts';
import type { Session } from '../sessions/session.ts';

declare module '../http/route.ts' {
  interface Services {
    /** Reads an active session by its id. Calls that arrive at nearly the same time share one query. */
    readVisitorSession(id: string): Promise<Session | undefined>;
  }
}

/** Headers that a visitor sent to the application; untrusted. */
export interface VisitorHeaders {
  cookie?: string;
  authorization?: string;
}

/**
 * Finds who sent a request to an application. Never returns a cached state that is older than the call.
 *
 * If Authorization holds an API token, the session cookie is ignored; an invalid token counts as not signed in. Any other
 * Authorization header is meant for the application and is ignored here.
 *
 * @throws DatabaseError if the database is lost
 */
export async function findVisitor(
  services: Services,
  { cookie, authorization }: VisitorHeaders,
): Promise<Caller | undefined> {
  const credential = tokenOf(authorization, services.settings.LEGACY_TOKEN_PREFIXES);
  if (credential !== undefined) {
    const token = await checkToken({ ...services, tokenCache: services.tokenCache.certain }, credential);
    return token && { via: 'token', ...token };
  }
  const lookup: SessionLookup = { appName: services.settings.APP_NAME, source: 'memory' };
  const session = await countCheck(services.sessionChecks, lookup, () => findVisitorSession(services, cookie, lookup));
  return session && { via: 'session', ...session };
}

async function findVisitorSession(services: Services, cookie: string | undefined, lookup: SessionLookup) {
  const needs = { ...services, sessionCache: services.sessionCache.certain, readOne: services.readVisitorSession };
  for (const { id } of openedIds(services.cookies.readHeader(cookie, 'session'), services.openSessionId)) {
    const session = await findSession(needs, id, lookup);
    if (session) return session;
  }
  return undefined;
}
