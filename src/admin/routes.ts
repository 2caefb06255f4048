import { timingSafeEqual } from 'node:crypto';
import { AppError } from '../errors/app-error.ts';
import { audit } from '../http/audit.ts';
import { type AnyRoute, type Call, defineRoute, type Gate } from '../http/route.ts';
import { endAllSessions } from '../sessions/end-sessions.ts';
import { getSession, requireRole, requireSession } from '../sessions/gates.ts';
import { takeSession } from '../sessions/session-cookie.ts';
import { superadminSummary, terminatedReply } from './wire.ts';

/** Compared as bytes of equal length, so that the time tells nothing of the secret but its length. */
function isSecret(given: string | undefined, secret: string | undefined): boolean {
  const [left, right] = [Buffer.from(given ?? ''), Buffer.from(secret ?? '')];
  return right.length > 0 && left.length === right.length && timingSafeEqual(left, right);
}

const requireMainSecret: Gate = ({ request, services }) => {
  if (isSecret(request.headers.authorization, services.settings.MAIN_SECRET_TOKEN)) return undefined;
  throw new AppError('MAIN_SECRET_REQUIRED');
};

async function terminateAll(call: Call) {
  const ended = await endAllSessions(call.services.database);
  takeSession(call);
  audit(call, 'all-sessions-ended', { sessions: ended });
  return { success: true, message: 'All sessions have been terminated' };
}

async function validateSuperadmin(call: Call) {
  const { userId, username, role } = await getSession(call);
  return { success: true, message: 'The session belongs to a superadmin', user: { user_id: userId, username, role } };
}

export const adminRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/terminateAllSessions',
    summary: 'End the sessions of everybody; needs the main secret token',
    kind: 'json',
    gates: [requireMainSecret],
    limit: { name: 'terminate-all', points: 3, windowSeconds: 300, error: 'TOO_MANY_REQUESTS' },
    replies: { 200: terminatedReply },
    errors: ['MAIN_SECRET_REQUIRED', 'TERMINATE_FAILED'],
    failure: 'TERMINATE_FAILED',
    handle: terminateAll,
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/validate-superadmin',
    summary: 'Whether the session belongs to a superadmin',
    kind: 'json',
    gates: [requireSession, requireRole('superadmin')],
    replies: { 200: superadminSummary },
    errors: ['NOT_SIGNED_IN', 'SUPERADMIN_REQUIRED'],
    handle: validateSuperadmin,
  }),
];
