import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { decodePercent } from '../lib/percent-encoding.ts';
import { isUuid } from '../lib/random.ts';
import { findSession } from './find-session.ts';
import type { SessionQuestion } from './schemas.ts';
import { openSessionId } from './sealed-id.ts';
import type { Session } from './session.ts';

/**
 * Answers another application that asks about a session by its id.
 *
 * Gives   undefined when the session is unknown, over, or of somebody who may not sign in.
 * Throws  AppError SESSION_INVALID when the text is no session id: no UUID or, with is_encrypt, nothing that opens
 *         to one.
 */
export async function introspectSession(
  { database, sealer, settings, clock }: Pick<Services, 'database' | 'sealer' | 'settings' | 'clock'>,
  { session_id, is_encrypt }: SessionQuestion,
): Promise<Session | undefined> {
  const isSealed = is_encrypt === true || is_encrypt === 'true';
  const decoded = isSealed ? decodePercent(session_id) : undefined;
  const id = isSealed ? decoded && openSessionId(sealer, decoded)?.id : session_id;
  if (!id || !isUuid(id)) throw new AppError('SESSION_INVALID');
  return findSession(database, { id, appName: settings.APP_NAME, now: clock.now() });
}
