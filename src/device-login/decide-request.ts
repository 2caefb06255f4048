import { reserveToken } from '../api-tokens/reserve-token.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Actor } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Services } from '../http/route.ts';
import { requireActiveSession } from '../sessions/find-session.ts';
import { lockUsers } from '../users/lock-users.ts';
import { decidePending, profileById, requestByUserCode } from './queries.ts';
import { stateOf } from './request.ts';
import { hashCode, parseUserCode } from './user-code.ts';

export interface Decision {
  /** The code as the person typed it. */
  userCode: string;
  action: 'approve' | 'deny';
  userId: number;
  username: string;
  /** The approver's API token, or the session in the approver's browser. */
  by: { tokenId: number } | { sessionId: string };
}

type Needs = Pick<Services, 'database' | 'clock' | 'settings'> & { actor: Actor };

/** Returns the name of the token reservation for a request. */
export const referenceOf = (requestId: number): string => `device-login ${requestId}`;

async function refuse(handle: Handle, hash: string, now: number): Promise<never> {
  const row = await requestByUserCode.first(handle, { hash });
  if (!row) throw new AppError('USER_CODE_UNKNOWN');
  const state = stateOf(row, now);
  throw new AppError(state === 'expired' ? 'DEVICE_REQUEST_EXPIRED' : 'DEVICE_REQUEST_DECIDED', { state });
}

/**
 * Approves or denies a pending request. A request can be decided only once.
 *
 * If several people decide at the same time, a guarded update lets one succeed. The same transaction reserves a place for
 * the token, so that other tokens of the user cannot take its place.
 *
 * @returns the new status of the request
 * @throws AppError USER_CODE_UNKNOWN; DEVICE_REQUEST_EXPIRED; DEVICE_REQUEST_DECIDED with its status;
 *   TOKEN_LIMIT_REACHED if the approver cannot have more tokens; NOT_SIGNED_IN if the approver's session has ended in the
 *   meantime. After the last two errors the request is still pending
 * @see RFC 8628 §3.3
 */
export async function decideRequest(
  { database, clock, settings, actor }: Needs,
  { userCode, action, userId, username, by }: Decision,
): Promise<'approved' | 'denied'> {
  const code = parseUserCode(userCode);
  if (!code) throw new AppError('USER_CODE_UNKNOWN');
  const hash = hashCode(code);
  const now = clock.now();
  const status = action === 'approve' ? 'approved' : 'denied';
  const tokenId = 'tokenId' in by ? by.tokenId : null;
  return database.transaction(async (tx) => {
    await lockUsers(tx, [userId]);
    const decided = await decidePending.first(tx, { hash, status, userId, tokenId, now });
    if (!decided) return refuse(tx, hash, now);
    if (status === 'approved') {
      const reservation = { userId, reference: referenceOf(decided.id), expiresAt: decided.expires_at };
      await reserveToken(tx, reservation, { now, maximum: settings.MAX_TOKENS_PER_USER });
      if ('sessionId' in by) await requireActiveSession(tx, { id: by.sessionId }, now);
    }
    const profile = await profileById.first(tx, { id: decided.profile_id });
    const details = {
      profile: profile?.key ?? '',
      client_name: decided.client_name,
      ...('tokenId' in by ? { token_id: by.tokenId } : {}),
    };
    await recordEvent(tx, { type: `device.${status}`, actor, subject: { id: userId, name: username }, details });
    return status;
  });
}
