import type { Handle } from '../db/handle.ts';
import { isUsable } from '../settings/identity-providers.ts';
import type { Settings } from '../settings/table.ts';
import { listLinks } from '../social/queries.ts';

/** A provider, and the account that the user has linked there. */
export interface Connection {
  provider: string;
  label: string;
  /** Whether users can sign in through the provider. */
  isEnabled: boolean;
  /** Undefined if no account is linked. */
  account: { id: string; linkedAt: number } | undefined;
}

/** Lists the providers that are enabled, and those where the user has a linked account. */
export async function listConnections(
  handle: Handle,
  { identityProviders }: Pick<Settings, 'identityProviders'>,
  userId: number,
): Promise<Connection[]> {
  const links = await listLinks.all(handle, { userId });
  const accounts = new Map(links.map((link) => [link.provider, { id: link.account_id, linkedAt: link.created_at }]));
  const known = identityProviders
    .filter(({ name, isEnabled }) => isEnabled || accounts.has(name))
    .map((one) => ({
      provider: one.name,
      label: one.label,
      isEnabled: isUsable(one),
      account: accounts.get(one.name),
    }));
  const gone = [...accounts].filter(([name]) => !identityProviders.some((one) => one.name === name));
  return [...known, ...gone.map(([name, account]) => ({ provider: name, label: name, isEnabled: false, account }))];
}
