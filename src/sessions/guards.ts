import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import { isVisit } from '../http/asks-for.ts';
import type { Guard } from '../http/guard.ts';
import { redirect } from '../http/reply.ts';
import type { Call } from '../http/route.ts';
import { countCheck } from '../lib/counts.ts';
import { safeRedirect } from '../lib/safe-redirect.ts';
import { findSession, type SessionLookup } from './find-session.ts';
import { storedSession } from './queries.ts';
import { openedIds } from './sealed-id.ts';
import type { Session } from './session.ts';
import { sessionCookie } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The pending or finished lookup of `currentSession`, kept so that each request looks up its session only once. */
    currentSession?: Promise<Session | undefined>;
  }
}

/** Returns the session ids in all session cookies of a call, whether or not those sessions are active. */
export const cookieSessionIds = ({ request, services }: Call): string[] =>
  openedIds(services.cookies.read(request, 'session'), services.openSessionId).map(({ id }) => id);

/**
 * Clears the session cookies of a call if this service sealed all of them and all of their sessions have ended. The
 * cookies stay if a session still exists but its user is inactive or may not use the application, because such a
 * session can become usable again.
 */
export async function clearEndedSession({ request, reply, services }: Call): Promise<void> {
  const { cookies, database, clock, openSessionId } = services;
  const opened = cookies.read(request, 'session').map(openSessionId);
  for (const one of opened) {
    if (!one || (await storedSession.first(database, { id: one.id, now: clock.now() }))) return;
  }
  cookies.apply({ request, reply }, [{ clear: 'session' }]);
}

/**
 * Looks up the session that the cookies of a request name.
 *
 * The reply to a page request replaces a cookie that was sealed with an older secret, so that the operator can remove
 * that secret later. Replies to scripts do not replace it, because a late reply could restore a session after the
 * browser has switched to another account.
 */
async function readSession(call: Call, lookup: SessionLookup): Promise<Session | undefined> {
  const { request, route, services } = call;
  for (const opened of openedIds(services.cookies.read(request, 'session'), services.openSessionId)) {
    const session = await findSession(services, opened.id, lookup);
    if (!session) continue;
    if (opened.isAged && route.kind === 'page')
      services.cookies.apply(call, [sessionCookie(services.sealer, session, services.clock.now())]);
    request.knownCaller ??= session;
    return session;
  }
  return undefined;
}

function lookUp(call: Call): Promise<Session | undefined> {
  const { route, services } = call;
  const lookup: SessionLookup = { appName: services.settings.APP_NAME, source: 'memory' };
  const read = () => readSession(call, lookup);
  return route.isCheck ? countCheck(services.sessionChecks, lookup, read) : read();
}

/** Finds the session of the browser that makes this call. Each request looks it up only once. */
export function currentSession(call: Call): Promise<Session | undefined> {
  call.request.currentSession ??= lookUp(call);
  return call.request.currentSession;
}

/** Returns the session lookup of a request, or undefined if no guard or handler has started one. */
export const knownSession = (request: FastifyRequest): Promise<Session | undefined> | undefined =>
  request.currentSession;

/** Returns the session of a call that has passed `requireSession`. */
export async function getSession(call: Call): Promise<Session> {
  const session = await currentSession(call);
  if (!session) throw new AppError('NOT_SIGNED_IN');
  return session;
}

export const isSignedIn = async (call: Call): Promise<boolean> => (await currentSession(call)) !== undefined;

/**
 * Lets signed-in callers pass. A person who opens a page without a session is sent to the login page. After sign-in
 * they return to that page, if the request was a GET or HEAD request and its URL is a safe return address. A program
 * that requests a page gets the error instead.
 */
export const requireSession: Guard = {
  name: 'session',
  errors: ['NOT_SIGNED_IN'],
  securitySchemes: ['session'],
  sendsTo: 'the login page',
  check: async (call) => {
    if (await isSignedIn(call)) return undefined;
    if (!isVisit(call)) throw new AppError('NOT_SIGNED_IN');
    const isRead = ['GET', 'HEAD'].includes(call.request.method);
    const back = isRead ? safeRedirect(call.request.url, '') : '';
    return redirect(back ? `/authsvc/login?redirect=${encodeURIComponent(back)}` : '/authsvc/login');
  },
};

/**
 * Lets browsers with a session pass. It refuses every request with an `Authorization` header, whatever its cookies,
 * because no token may be used for actions that are reserved for the person.
 */
export const requireBrowserSession: Guard = {
  ...requireSession,
  name: 'browser session',
  errors: ['SESSION_REQUIRED', ...requireSession.errors],
  check: async (call) => {
    if (call.request.headers.authorization !== undefined) throw new AppError('SESSION_REQUIRED');
    return requireSession.check(call);
  },
};

/** Lets superadmins pass. It must come after `requireSession`. */
export const requireSuperadmin: Guard = {
  name: 'superadmin role',
  errors: ['SUPERADMIN_REQUIRED'],
  check: async (call) => {
    const { role } = await getSession(call);
    if (role === 'superadmin') return undefined;
    throw new AppError('SUPERADMIN_REQUIRED');
  },
};

/**
 * Lets calls pass whose CSRF token belongs to this browser. The token is `_csrf` in the body or the header
 * `X-CSRF-Token`.
 */
export const requireCsrf: Guard = {
  name: 'CSRF token',
  errors: ['CSRF_INVALID'],
  check: ({ request, services, body }) => {
    const token =
      typeof body === 'object' && body !== null && '_csrf' in body ? body._csrf : request.headers['x-csrf-token'];
    if (services.csrf.isValid(request, token)) return undefined;
    throw new AppError('CSRF_INVALID');
  },
};
