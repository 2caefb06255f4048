import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { isAccountId } from './account-id.ts';
import { deleteLink, insertLink, listLinks, userOfAccount } from './queries.ts';

interface NewLink {
  provider: string;
  accountId: string;
  user: { id: number; username: string };
  now: number;
}

/** Why an account could not be linked. */
async function refusalOf(database: Handle, { provider, accountId, user }: NewLink): Promise<AppError> {
  const owner = await userOfAccount.first(database, { provider, accountId });
  const taken = { provider, providerAccount: accountId };
  if (owner) return new AppError('CONNECTION_TAKEN', { ...taken, username: owner.username });
  const links = await listLinks.all(database, { userId: user.id });
  const other = links.find((link) => link.provider === provider)?.account_id ?? '';
  return new AppError('CONNECTION_EXISTS', { provider, providerAccount: other, username: user.username });
}

/**
 * Lets the owner of an account at a provider sign in as a user.
 *
 * @throws AppError FIELD_INVALID for an impossible account id; CONNECTION_TAKEN if the account is linked, CONNECTION_EXISTS
 *   if the user has an account at this provider
 */
export async function linkAccount(database: Handle, link: NewLink): Promise<void> {
  const { provider, accountId, user, now } = link;
  if (!isAccountId(accountId)) {
    throw new AppError('FIELD_INVALID', { field: 'provider_id' });
  }
  const added = await insertLink.run(database, { provider, accountId, userId: user.id, now });
  if (added === 0) throw await refusalOf(database, link);
}

/**
 * Removes the link of a user to a provider.
 *
 * @throws AppError REF_UNKNOWN if there is none
 */
export async function unlinkAccount(database: Handle, user: NewLink['user'], provider: string): Promise<void> {
  const removed = await deleteLink.run(database, { provider, userId: user.id });
  if (removed === 0) throw new AppError('REF_UNKNOWN', { provider, username: user.username });
}
