import { AppError } from '../errors/app-error.ts';
import type { Guard } from '../http/guard.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { clearEndedSession, isSignedIn, requireCsrf } from '../sessions/guards.ts';
import { endAll, endCurrent } from './log-out-guards.ts';
import { type DoneReply, doneReply, logoutRequest } from './schemas.ts';

/**
 * Lets callers with a session pass. Unlike `requireSession`, it throws NOT_LOGGED_IN, the error that sign-out has for
 * callers without a session.
 */
const requireSomethingToEnd: Guard = {
  name: 'session',
  errors: ['NOT_LOGGED_IN'],
  securitySchemes: ['session'],
  check: async (call) => {
    if (await isSignedIn(call)) return undefined;
    await clearEndedSession(call);
    throw new AppError('NOT_LOGGED_IN');
  },
};

async function logout(call: Call): Promise<DoneReply> {
  if ((await endCurrent(call)) === 0) throw new AppError('NOT_LOGGED_IN');
  return { success: true, message: 'Logout successful' };
}

async function logoutAll(call: Call): Promise<DoneReply> {
  await endAll(call);
  return { success: true, message: 'All accounts have been logged out' };
}

/** The routes that sign out the current account, or all accounts of a browser. */
export const logOutRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/logout',
    operationId: 'logout',
    summary: 'End the current session of this browser; its other accounts stay signed in',
    kind: 'json',
    guards: [requireSomethingToEnd, requireCsrf],
    limit: { name: 'logout', error: 'TOO_MANY_LOGOUTS' },
    body: json(logoutRequest),
    replies: { 200: doneReply },
    errors: ['NOT_LOGGED_IN'],
    failure: 'LOGOUT_FAILED',
    handle: logout,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/logout-all',
    operationId: 'logoutAll',
    summary: 'End the sessions of all accounts of this browser',
    kind: 'json',
    limit: { name: 'logout-all', error: 'TOO_MANY_REQUESTS' },
    replies: { 200: doneReply },
    handle: logoutAll,
  }),
];
