import { AppError } from '../errors/app-error.ts';
import type { Settings } from '../settings/table.ts';
import { isAccountId } from '../social/account-id.ts';
import type { ConnectionRequest } from './change-schemas.ts';

interface Connection {
  provider: string;
  accountId: string;
}

/**
 * Validates the provider and the account id of a connection. The provider must be one that this service uses.
 *
 * @throws AppError FIELD_INVALID with the field
 */
export function readConnection(
  { identityProviders }: Pick<Settings, 'identityProviders'>,
  { provider, account_id }: ConnectionRequest,
): Connection {
  const names = identityProviders.map(({ name }) => name);
  if (!names.includes(provider)) throw new AppError('FIELD_INVALID', { field: 'provider', provider, allowed: names });
  const accountId = account_id.trim();
  if (!isAccountId(accountId)) throw new AppError('FIELD_INVALID', { field: 'account_id' });
  return { provider, accountId };
}
