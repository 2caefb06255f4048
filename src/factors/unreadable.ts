import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { asTyped } from '../settings/as-typed.ts';
import { countUnreadableFactors } from './queries.ts';

/**
 * Counts the users whose second factor cannot be decrypted. These users cannot sign in with a code of their
 * authenticator app.
 *
 * @param dataSealer undefined if no data key can be opened
 */
export async function countUsersWithUnreadableFactors(
  handle: Handle,
  dataSealer: DataSealer | undefined,
): Promise<number> {
  return (await countUnreadableFactors.first(handle, { keyIds: dataSealer?.keyIds ?? [] }))?.users ?? 0;
}

/** Returns the message that tells the operator how many users have an unreadable second factor, and what to do. */
export function unreadableFactorsText(users: number): string {
  const whose = users === 1 ? 'the second factor of 1 user' : `the second factors of ${users} users`;
  const who = users === 1 ? 'This user' : 'These users';
  return [
    `SESSION_SECRET_KEY cannot decrypt ${whose}. ${who} cannot enter a code of an authenticator app.`,
    'Put the old secret behind the new one (SESSION_SECRET_KEY=NEW,OLD) and restart.',
    `If the old secret is lost, run ${asTyped('2fa enable NAME')} for each user that ${asTyped('2fa list --unreadable')} names.`,
  ].join(' ');
}
