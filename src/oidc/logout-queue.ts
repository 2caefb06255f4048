import type { Transaction } from '../db/handle.ts';
import type { Services } from '../http/route.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { subsOfUsers } from './queries.ts';

export const LOGOUT = 'logout';

/** What a logout token says of the session that has ended. */
export interface Logout {
  applicationId: number;
  sub: string;
  sid: string;
}

/** A grant that has just been deleted. */
export interface EndedGrant {
  kind: string;
  user_id: number;
  application_id: number;
  sid: string;
  /** Null: the application has never fetched a token. */
  last_used_at: number | null;
}

/** What logouts are queued with. */
export type LogoutParts = Pick<Services, 'outbox' | 'clock'>;

/**
 * Tells the applications of ended grants that the sessions behind them have ended.
 *
 * @param tx the transaction that has ended them
 * @see OpenID Connect Back-Channel Logout 1.0
 */
export async function queueLogouts(
  tx: Transaction,
  { outbox, clock }: LogoutParts,
  ended: readonly EndedGrant[],
): Promise<void> {
  const told = ended.filter(({ last_used_at, sid }) => last_used_at !== null && sid !== '');
  const bySession = new Map(told.map((grant) => [`${grant.application_id} ${grant.sid}`, grant]));
  if (bySession.size === 0) return;
  const userIds = [...new Set(told.map(({ user_id }) => user_id))];
  const subs = new Map((await subsOfUsers.all(tx, { userIds })).map(({ id, sub }) => [id, sub]));
  const expiresAt = clock.now() + HOUR_MS;
  for (const { application_id: applicationId, sid, user_id } of bySession.values()) {
    const payload: Logout = { applicationId, sid, sub: subs.get(user_id) ?? '' };
    await outbox.add(tx, { kind: LOGOUT, payload, applicationId, expiresAt });
  }
}
