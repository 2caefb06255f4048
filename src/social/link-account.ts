import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { hasWayIn } from '../factors/ways-in.ts';
import { requireLockedSession } from '../sessions/find-session.ts';
import type { Session } from '../sessions/session.ts';
import type { Settings } from '../settings/table.ts';
import { lockUsers } from '../users/lock-users.ts';
import { lockActiveUser } from '../users/queries.ts';
import { isAccountId } from './account-id.ts';
import { deleteLink, insertLink, listLinks, userOfAccount } from './queries.ts';

interface NewLink {
  provider: string;
  accountId: string;
  user: { id: number; username: string };
}

/** Returns the error that says why an account could not be linked. */
async function refusalOf(tx: Handle, { provider, accountId, user }: NewLink): Promise<AppError> {
  const owner = await userOfAccount.first(tx, { provider, accountId });
  const taken = { provider, providerAccount: accountId };
  if (owner && owner.id !== user.id) return new AppError('CONNECTION_TAKEN', { ...taken, username: owner.username });
  const links = await listLinks.all(tx, { userId: user.id });
  const other = links.find((link) => link.provider === provider)?.account_id ?? '';
  return new AppError('CONNECTION_EXISTS', { provider, providerAccount: other, username: user.username });
}

async function addLink(tx: Transaction, { now, actor }: Omit<Change, 'database'>, link: NewLink): Promise<void> {
  const { provider, accountId, user } = link;
  const added = await insertLink.run(tx, { provider, accountId, userId: user.id, now });
  if (added === 0) throw await refusalOf(tx, link);
  const details = { provider, account_id: accountId, change: 'added' } as const;
  await recordEvent(tx, { type: 'connection.changed', actor, subject: subjectOf(user), details });
}

async function removeLink(
  tx: Transaction,
  actor: Actor,
  { provider, user }: Omit<NewLink, 'accountId'>,
): Promise<void> {
  const removed = await deleteLink.first(tx, { provider, userId: user.id });
  if (!removed) throw new AppError('REF_UNKNOWN', { provider, username: user.username });
  const details = { provider, account_id: removed.account_id, change: 'removed' } as const;
  await recordEvent(tx, { type: 'connection.changed', actor, subject: subjectOf(user), details });
}

/**
 * Links an account at a provider to a user, who can then sign in with it.
 *
 * @throws AppError FIELD_INVALID for an invalid account id; CONNECTION_TAKEN if the account is linked to another user;
 *   CONNECTION_EXISTS if the user already has an account at this provider
 */
export async function linkAccount({ database, now, actor }: Change, link: NewLink): Promise<void> {
  if (!isAccountId(link.accountId)) {
    throw new AppError('FIELD_INVALID', { field: 'provider_id' });
  }
  await database.transaction((tx) => addLink(tx, { now, actor }, link));
}

type OwnSession = Pick<Session, 'id' | 'userId'>;

/** Locks a session and its user. */
async function lockOwner(tx: Handle, session: OwnSession, now: number): Promise<NewLink['user']> {
  const user = await lockActiveUser.first(tx, { id: session.userId });
  if (!user) throw new AppError('NOT_SIGNED_IN');
  await requireLockedSession(tx, session, now);
  return user;
}

/**
 * Links an account at a provider to the user of a session. The caller has verified that this user owns the account.
 *
 * @throws AppError CONNECTION_TAKEN if the account is linked to another user; CONNECTION_EXISTS if the user already has
 *   an account at this provider; NOT_SIGNED_IN if the session has ended or the user is no longer active
 */
export function linkOwnAccount(
  { database, now, actor }: Change,
  session: OwnSession | undefined,
  { provider, accountId }: Omit<NewLink, 'user'>,
): Promise<void> {
  return database.transaction(async (tx) => {
    if (!session) throw new AppError('NOT_SIGNED_IN');
    const user = await lockOwner(tx, session, now);
    await addLink(tx, { now, actor }, { provider, accountId, user });
  });
}

/**
 * Removes the link of a session's user to a provider. A subscriber to the event ends the user's other sessions that were
 * opened through this provider.
 *
 * @throws AppError REF_UNKNOWN if there is no such link; LAST_WAY_IN if the user would have no way left to sign in;
 *   NOT_SIGNED_IN if the session has ended or the user is no longer active
 */
export function unlinkOwnAccount(
  { database, now, actor, settings }: Change & { settings: Settings },
  session: OwnSession,
  provider: string,
): Promise<void> {
  return database.transaction(async (tx) => {
    const user = await lockOwner(tx, session, now);
    const couldSignIn = await hasWayIn(tx, settings, user.id);
    await removeLink(tx, actor, { provider, user });
    if (couldSignIn && !(await hasWayIn(tx, settings, user.id))) throw new AppError('LAST_WAY_IN');
  });
}

/**
 * Removes the link of any user to a provider.
 *
 * @returns wasLastWayIn: whether the user now has no way left to sign in
 * @throws AppError REF_UNKNOWN if there is no such link
 */
export function unlinkAccount(
  { database, actor, settings }: Omit<Change, 'now'> & { settings: Settings },
  user: NewLink['user'],
  provider: string,
): Promise<{ wasLastWayIn: boolean }> {
  return database.transaction(async (tx) => {
    await lockUsers(tx, [user.id]);
    await removeLink(tx, actor, { provider, user });
    return { wasLastWayIn: !(await hasWayIn(tx, settings, user.id)) };
  });
}
