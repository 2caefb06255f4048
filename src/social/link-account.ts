import { Refusal } from '../command/refusal.ts';
import type { Handle } from '../db/handle.ts';
import { isAccountId } from './account-id.ts';
import type { ProviderName } from './provider.ts';
import { deleteLink, insertLink, listLinks, userOfAccount } from './queries.ts';

interface NewLink {
  provider: ProviderName;
  accountId: string;
  user: { id: number; username: string };
  now: number;
}

/** Why an account could not be linked. */
async function reasonAgainst(database: Handle, { provider, accountId, user }: NewLink): Promise<string> {
  const owner = await userOfAccount.first(database, { provider, accountId });
  if (owner) return `The ${provider} account ${JSON.stringify(accountId)} is linked to ${owner.username} already.`;
  const links = await listLinks.all(database, { userId: user.id });
  const other = links.find((link) => link.provider === provider)?.account_id;
  return `${user.username} has a ${provider} link already, to ${JSON.stringify(other)}: remove that one first.`;
}

/**
 * Lets the owner of an account at a provider sign in as a user.
 *
 * Throws  Refusal for what can be no account id, and when account or user has a link of this provider already.
 */
export async function linkAccount(database: Handle, link: NewLink): Promise<void> {
  const { provider, accountId, user, now } = link;
  if (!isAccountId(accountId)) {
    throw new Refusal('The id of the account must be 1 to 255 characters without control characters.');
  }
  const added = await insertLink.run(database, { provider, accountId, userId: user.id, now });
  if (added === 0) throw new Refusal(await reasonAgainst(database, link));
}

/** Removes the link of a user to a provider. Throws a Refusal when there is none. */
export async function unlinkAccount(database: Handle, user: NewLink['user'], provider: ProviderName): Promise<void> {
  const removed = await deleteLink.run(database, { provider, userId: user.id });
  if (removed === 0) throw new Refusal(`${user.username} has no ${provider} link.`);
}
