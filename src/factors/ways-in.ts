import type { Handle } from '../db/handle.ts';
import { isUsable } from '../settings/identity-providers.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import type { Settings } from '../settings/table.ts';
import { credentialsOfUser } from './passkey-queries.ts';

/** Returns the warning that a command prints after it removed a user's last way to sign in. */
export const noWayInWarning = (username: string): string =>
  `${username} cannot sign in any more. Make a link: authsvc user invite.`;

/**
 * Returns whether a user has a way to sign in: a password, a passkey while passkeys are on, or a linked account at
 * a provider that is usable. An authenticator app does not count.
 *
 * @param handle use a transaction that has locked the user's row if the last way to sign in must not be removed
 */
export async function hasWayIn(handle: Handle, settings: Settings, userId: number): Promise<boolean> {
  const usable = settings.identityProviders.filter(isUsable).map(({ name }) => name);
  const arePasskeysOn = passkeyRpId(settings) !== undefined;
  const credentials = await credentialsOfUser.all(handle, { userId });
  return credentials.some(
    ({ password_hash: hash, passkeys, provider }) =>
      hash !== '' || (arePasskeysOn && Number(passkeys) > 0) || (provider !== null && usable.includes(provider)),
  );
}
