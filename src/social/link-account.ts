import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { isAccountId } from './account-id.ts';
import { deleteLink, insertLink, listLinks, userOfAccount } from './queries.ts';

interface NewLink {
  provider: string;
  accountId: string;
  user: { id: number; username: string };
}

/** Why an account could not be linked. */
async function refusalOf(tx: Handle, { provider, accountId, user }: NewLink): Promise<AppError> {
  const owner = await userOfAccount.first(tx, { provider, accountId });
  const taken = { provider, providerAccount: accountId };
  if (owner) return new AppError('CONNECTION_TAKEN', { ...taken, username: owner.username });
  const links = await listLinks.all(tx, { userId: user.id });
  const other = links.find((link) => link.provider === provider)?.account_id ?? '';
  return new AppError('CONNECTION_EXISTS', { provider, providerAccount: other, username: user.username });
}

/**
 * Links an account at a provider to a user, who can then sign in with it.
 *
 * @throws AppError FIELD_INVALID for an impossible account id; CONNECTION_TAKEN if the account is linked, CONNECTION_EXISTS
 *   if the user has an account at this provider
 */
export async function linkAccount({ database, now, actor }: Change, link: NewLink): Promise<void> {
  const { provider, accountId, user } = link;
  if (!isAccountId(accountId)) {
    throw new AppError('FIELD_INVALID', { field: 'provider_id' });
  }
  await database.transaction(async (tx) => {
    const added = await insertLink.run(tx, { provider, accountId, userId: user.id, now });
    if (added === 0) throw await refusalOf(tx, link);
    const details = { provider, account_id: accountId, change: 'added' } as const;
    await recordEvent(tx, { type: 'connection.changed', actor, subject: subjectOf(user), details });
  });
}

/**
 * Removes the link of a user to a provider.
 *
 * @throws AppError REF_UNKNOWN if there is none
 */
export async function unlinkAccount(
  { database, actor }: Omit<Change, 'now'>,
  user: NewLink['user'],
  provider: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const removed = await deleteLink.first(tx, { provider, userId: user.id });
    if (!removed) throw new AppError('REF_UNKNOWN', { provider, username: user.username });
    const details = { provider, account_id: removed.account_id, change: 'removed' } as const;
    await recordEvent(tx, { type: 'connection.changed', actor, subject: subjectOf(user), details });
  });
}
