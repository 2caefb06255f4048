import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { lockUsers } from '../users/lock-users.ts';
import { type EndedGrant, type LogoutParts, queueLogouts } from './logout-queue.ts';
import { deleteConsent, deleteGrant, deleteGrantsAtApplication, deleteGrantsOfSid, endableGrant } from './queries.ts';

type Needs = Omit<Change, 'now'> & LogoutParts;
type Endable = NonNullable<Awaited<ReturnType<typeof endableGrant.first>>>;

async function record(tx: Transaction, { actor }: Pick<Needs, 'actor'>, grant: Endable): Promise<void> {
  const details = { id: grant.id, change: 'withdrawn', fields: [grant.kind] } as const;
  const subject = { id: grant.user_id, name: grant.username };
  await recordEvent(tx, { type: 'grant.changed', actor, subject, details, application: grant.key });
}

/** Ends a grant and all its tokens, because a token was revoked or used twice. The consent stays. */
export async function endGrant(parts: Needs, id: string): Promise<void> {
  await parts.database.transaction(async (tx) => {
    const grant = await endableGrant.first(tx, { id, userId: undefined });
    const ended = await deleteGrant.all(tx, { id });
    if (!grant || ended.length === 0) return;
    await queueLogouts(tx, parts, ended);
    await record(tx, parts, grant);
  });
}

/**
 * Ends the grants that lists show as one entry: all grants of a session at an application, or all grants behind a
 * consent.
 */
async function endListed(tx: Transaction, grant: Endable): Promise<EndedGrant[]> {
  const { id, kind, sid, user_id: userId, application_id: applicationId } = grant;
  if (kind === 'consent') return deleteGrantsAtApplication.all(tx, { userId, applicationId });
  const ended =
    kind === 'session' ? await deleteGrantsOfSid.all(tx, { applicationId, sid }) : await deleteGrant.all(tx, { id });
  await deleteConsent.run(tx, { userId, applicationId });
  return ended;
}

/**
 * Withdraws the access that a user gave an application, and deletes the consent.
 *
 * @param owner the user who must have given the grant; undefined for any user
 * @returns the key of the application and the username
 * @throws AppError REF_UNKNOWN
 */
export async function withdrawGrant(
  parts: Needs,
  ref: string,
  owner?: number,
): Promise<{ key: string; username: string }> {
  const found = await endableGrant.first(parts.database, { id: ref, userId: owner });
  if (!found) throw new AppError('REF_UNKNOWN', { id: ref });
  return parts.database.transaction(async (tx) => {
    await lockUsers(tx, [found.user_id]);
    const ended = await endListed(tx, found);
    if (ended.length === 0) throw new AppError('REF_UNKNOWN', { id: ref });
    await queueLogouts(tx, parts, ended);
    await record(tx, parts, found);
    return { key: found.key, username: found.username };
  });
}
