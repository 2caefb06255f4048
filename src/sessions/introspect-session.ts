import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { countCheck } from '../lib/counts.ts';
import { decodePercent } from '../lib/percent-encoding.ts';
import { isUuid } from '../lib/random.ts';
import { findSession, type SessionLookup } from './find-session.ts';
import type { SessionQuestion } from './schemas.ts';
import type { Session } from './session.ts';

/**
 * Finds a session for another application, by the session id that the application sends.
 *
 * @returns undefined if the session is unknown or has ended, or if its user may not sign in
 * @throws AppError SESSION_INVALID if `session_id` is not a UUID, or with `is_encrypt` not a sealed session id
 */
export async function introspectSession(
  services: Pick<
    Services,
    'database' | 'sessionCache' | 'sessionChecks' | 'lastSeen' | 'openSessionId' | 'settings' | 'clock'
  >,
  { session_id, is_encrypt }: SessionQuestion,
): Promise<Session | undefined> {
  const isSealed = is_encrypt === true || is_encrypt === 'true';
  const decoded = isSealed ? decodePercent(session_id) : undefined;
  const id = isSealed ? decoded && services.openSessionId(decoded)?.id : session_id;
  if (!id || !isUuid(id)) {
    services.sessionChecks.add('invalid', 'memory');
    throw new AppError('SESSION_INVALID', { field: 'session_id' });
  }
  const lookup: SessionLookup = { appName: services.settings.APP_NAME, source: 'memory' };
  return countCheck(services.sessionChecks, lookup, () => findSession(services, id, lookup));
}
