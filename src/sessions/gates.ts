import type { FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.ts';
import { redirectTo } from '../http/page.ts';
import type { Call, Gate } from '../http/route.ts';
import { safeRedirect } from '../kit/safe-redirect.ts';
import type { Role } from '../users/user.ts';
import { findSession } from './find-session.ts';
import { openSessionId } from './sealed-id.ts';
import type { Session } from './session.ts';

/** How many cookies of the session's name are looked at; a browser that kept old ones sends a few. */
const MOST_COOKIES = 5;

const sessions = new WeakMap<FastifyRequest, Promise<Session | undefined>>();

async function readSession({ request, services }: Call): Promise<Session | undefined> {
  const { cookies, sealer, database, settings, clock } = services;
  for (const sealed of cookies.read(request, 'session').slice(0, MOST_COOKIES)) {
    const id = openSessionId(sealer, sealed);
    const session = id && (await findSession(database, { id, appName: settings.APP_NAME, now: clock.now() }));
    if (session) return session;
  }
  return undefined;
}

/** The session of the browser that makes this call; looked up once a request. */
export function currentSession(call: Call): Promise<Session | undefined> {
  const known = sessions.get(call.request) ?? readSession(call);
  sessions.set(call.request, known);
  return known;
}

/** The session of a call that has passed `requireSession`. */
export async function getSession(call: Call): Promise<Session> {
  const session = await currentSession(call);
  if (!session) throw new AppError('NOT_SIGNED_IN');
  return session;
}

export const isSignedIn = async (call: Call): Promise<boolean> => (await currentSession(call)) !== undefined;

/** Lets signed-in callers pass; sends a page's visitor to the login page and back. Throws NOT_SIGNED_IN. */
export const requireSession: Gate = async (call) => {
  if (await isSignedIn(call)) return undefined;
  if (call.route.kind !== 'page') throw new AppError('NOT_SIGNED_IN');
  const back = safeRedirect(call.request.url, '/');
  return redirectTo(call.reply, `/authsvc/login?redirect=${encodeURIComponent(back)}`);
};

/** Lets callers with this role pass, behind `requireSession`. Throws SUPERADMIN_REQUIRED. */
export const requireRole =
  (role: Role): Gate =>
  async (call) => {
    const session = await getSession(call);
    if (session.role === role) return undefined;
    throw new AppError('SUPERADMIN_REQUIRED', { userId: session.userId });
  };

/** Lets calls pass whose `_csrf` was made for this browser. Throws CSRF_INVALID. */
export const requireCsrf: Gate = ({ request, services, body }) => {
  const token = typeof body === 'object' && body !== null && '_csrf' in body ? body._csrf : undefined;
  if (services.csrf.isValid(request, token)) return undefined;
  throw new AppError('CSRF_INVALID');
};
