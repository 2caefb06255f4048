import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { usersWithFactors } from './queries.ts';
import { knownRecoveryKeys } from './recovery-codes.ts';

/** A user with a second factor, as the operator's list shows it. */
export interface UserWithFactor {
  username: string;
  /** The time when the second factor was set up, in milliseconds since the epoch, UTC. */
  enabledAt: number;
  /** Whether the secret of at least one of the user's authenticator apps can be decrypted. */
  isReadable: boolean;
  recoveryCodesLeft: number;
  trustedBrowsers: number;
}

/**
 * Lists the users who have a second factor, sorted by username.
 *
 * @param dataSealer undefined if no data key can be opened; every factor is then reported as unreadable
 */
export async function listUsersWithFactors(
  handle: Handle,
  dataSealer: DataSealer | undefined,
  now: number,
): Promise<UserWithFactor[]> {
  const keys = await knownRecoveryKeys(handle, dataSealer);
  const users = new Map<number, UserWithFactor>();
  for (const row of await usersWithFactors.all(handle, { ...keys, now })) {
    const isReadable = row.key_id !== null && keys.keyIds.includes(row.key_id);
    const known = users.get(row.user_id);
    if (known) known.isReadable ||= isReadable;
    else
      users.set(row.user_id, {
        username: row.username,
        enabledAt: row.confirmed_at,
        isReadable,
        recoveryCodesLeft: row.recovery_codes ?? 0,
        trustedBrowsers: row.trusted_browsers ?? 0,
      });
  }
  return [...users.values()];
}
