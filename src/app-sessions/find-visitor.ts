import type { Caller } from '../api-tokens/caller.ts';
import { checkToken } from '../api-tokens/find-token.ts';
import type { Application } from '../applications/application.ts';
import type { Lookup } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { countCheck } from '../lib/counts.ts';
import { tokenOf } from '../proxy-auth/credential.ts';
import { findSession, type SessionLookup } from '../sessions/find-session.ts';
import { openedIds } from '../sessions/sealed-id.ts';
import type { Session } from '../sessions/session.ts';

/** An active session, and the version of the application that asks, both read at the same moment. */
export interface ReadSession {
  session: Session;
  /** null: the application has been removed */
  applicationVersion: number | null;
}

declare module '../http/route.ts' {
  interface Services {
    /** Reads an active session for an application. Calls that arrive at nearly the same time share one query. */
    readVisitorSession(id: string, applicationId: number): Promise<ReadSession | undefined>;
  }
}

/** Headers that a visitor sent to the application; untrusted. */
export interface VisitorHeaders {
  cookie?: string;
  authorization?: string;
}

/** The sender of a request. */
export interface Visitor {
  /** undefined: not signed in */
  caller: Caller | undefined;
  /** Version of the application that asks. Undefined if it was not read together with the session. */
  applicationVersion?: number | null | undefined;
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
  { id: applicationId }: Pick<Application, 'id'>,
): Promise<Visitor> {
  const credential = tokenOf(authorization, services.settings.LEGACY_TOKEN_PREFIXES);
  if (credential !== undefined) {
    const token = await checkToken({ ...services, tokenCache: services.tokenCache.certain }, credential);
    return { caller: token && { via: 'token', ...token } };
  }
  const { lookup: sessionCache, applicationVersion } = currentSessions(services, applicationId);
  const lookup: SessionLookup = { appName: services.settings.APP_NAME, source: 'memory' };
  const session = await countCheck(services.sessionChecks, lookup, async () => {
    for (const { id } of openedIds(services.cookies.readHeader(cookie, 'session'), services.openSessionId)) {
      const found = await findSession({ ...services, sessionCache }, id, lookup);
      if (found) return found;
    }
    return undefined;
  });
  return { caller: session && { via: 'session', ...session }, applicationVersion: applicationVersion() };
}

/**
 * Returns a lookup that never finds a session in a state older than the call. If the memory of this process may lag
 * behind the database, the lookup reads the session from the database, together with the version of the application.
 */
function currentSessions({ database: { changes }, sessionCache, readVisitorSession }: Services, applicationId: number) {
  let applicationVersion: number | null | undefined;
  const inDatabase: Lookup<Session> = {
    find: async (id, _read, onRead) => {
      await changes.arrive();
      onRead?.();
      const read = await readVisitorSession(id, applicationId);
      applicationVersion = read?.applicationVersion;
      return read?.session;
    },
  };
  return { lookup: changes.mayLag ? inDatabase : sessionCache.certain, applicationVersion: () => applicationVersion };
}
