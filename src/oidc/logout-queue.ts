import type { Transaction } from '../db/handle.ts';
import type { Services } from '../http/route.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { subsOfUsers } from './queries.ts';

export const LOGOUT = 'logout';

/** The ended session that a logout token is about. */
export interface Logout {
  applicationId: number;
  sub: string;
  sid: string;
}

/** A grant that was just deleted. */
export interface EndedGrant {
  kind: string;
  user_id: number;
  application_id: number;
  sid: string;
  /** Null if the application has never fetched a token. */
  last_used_at: number | null;
}

/** The services that are needed to queue logout messages. */
export type LogoutParts = Pick<Services, 'outbox' | 'clock'>;

/**
 * Queues a message to each application of the ended grants. The message says that the session has ended.
 *
 * @param tx the transaction that has ended the grants
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
