import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { sha256 } from '../lib/digest.ts';
import { requireLockedSession } from '../sessions/find-session.ts';
import type { Session } from '../sessions/session.ts';
import { lockActiveUser } from '../users/queries.ts';
import { deleteTrust, trustsOfUser } from './queries.ts';
import type { TrustTokens } from './trusted-browser.ts';

const REF_LENGTH = 24;

/** A trusted browser, in which a user skips the second step. */
export interface OwnTrust {
  ref: string;
  userAgent: string;
  createdAt: number;
  expiresAt: number;
  isCurrent: boolean;
}

/** Returns the public id of a trusted browser. It does not reveal the hash of the token. */
const refOf = (tokenHash: string): string => sha256(`trusted browser ${tokenHash}`).slice(0, REF_LENGTH);

/**
 * Lists the browsers that a user trusts, newest first.
 *
 * @param tokens tokens from the cookie of the current request
 */
export async function listOwnTrusts(
  handle: Handle,
  { userId, now }: { userId: number; now: number },
  tokens: TrustTokens,
): Promise<OwnTrust[]> {
  const here = tokens.byUser.get(userId);
  const rows = await trustsOfUser.all(handle, { userId, now });
  return rows
    .map((row) => ({
      ref: refOf(row.token_hash),
      userAgent: row.user_agent,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      isCurrent: here !== undefined && row.token_hash === sha256(here),
    }))
    .reverse();
}

/**
 * Ends the trust in one browser of a session's user, or in all of them.
 *
 * @param ref the browser; undefined: all browsers
 * @returns how many browsers were trusted until now; if 0, no event is recorded
 * @throws AppError REF_UNKNOWN; NOT_SIGNED_IN if the session or the user has ended meanwhile
 */
export function endOwnTrusts(
  { database, now, actor }: Change,
  session: Pick<Session, 'id' | 'userId'>,
  ref: string | undefined,
): Promise<number> {
  const { userId } = session;
  return database.transaction(async (tx) => {
    const user = await lockActiveUser.first(tx, { id: userId });
    if (!user) throw new AppError('NOT_SIGNED_IN');
    await requireLockedSession(tx, session, now);
    const trusts = await trustsOfUser.all(tx, { userId, now });
    const ended = trusts.filter(({ token_hash: hash }) => ref === undefined || refOf(hash) === ref);
    if (ref !== undefined && ended.length === 0) throw new AppError('REF_UNKNOWN');
    for (const { token_hash: hash } of ended) await deleteTrust.run(tx, { hash });
    const details = { kind: 'trusted_browser', change: 'removed', count: ended.length } as const;
    if (ended.length > 0) await recordEvent(tx, { type: 'factor.changed', actor, subject: subjectOf(user), details });
    return ended.length;
  });
}
