import { audit } from '../http/audit.ts';
import { type AnyRoute, type Call, defineRoute, type Gate } from '../http/route.ts';
import { AppError } from '../errors/app-error.ts';
import { endSession } from '../sessions/end-sessions.ts';
import { getSession, isSignedIn, requireCsrf } from '../sessions/gates.ts';
import { takeSession } from '../sessions/session-cookie.ts';
import { doneReply, logoutRequest } from './wire.ts';

/** Logging out has a refusal of its own for those who are not signed in. */
const requireSomethingToEnd: Gate = async (call) => {
  if (await isSignedIn(call)) return undefined;
  throw new AppError('NOT_LOGGED_IN');
};

async function logout(call: Call) {
  const session = await getSession(call);
  await endSession(call.services.database, session.id);
  takeSession(call);
  audit(call, 'session-ended', { userId: session.userId, reason: 'logout' });
  return { success: true, message: 'Logout successful' };
}

export const accountRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/logout',
    summary: 'End the session of this browser',
    kind: 'json',
    gates: [requireSomethingToEnd, requireCsrf],
    limit: { name: 'logout', points: 10, windowSeconds: 60, error: 'TOO_MANY_LOGOUTS' },
    body: logoutRequest,
    replies: { 200: doneReply },
    errors: ['NOT_LOGGED_IN', 'CSRF_INVALID', 'LOGOUT_FAILED'],
    failure: 'LOGOUT_FAILED',
    handle: logout,
  }),
];
