import type { Handle } from '../db/handle.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import type { Settings } from '../settings/table.ts';
import { foreignRpId } from './passkey-queries.ts';

/**
 * Finds passkeys that do not work because they are bound to an RP id other than the current one. While passkeys are
 * off, it finds none.
 *
 * @returns a text that says what is wrong and what to do; undefined if there are no such passkeys
 */
export async function describeForeignPasskeys(database: Handle, settings: Settings): Promise<string | undefined> {
  const rpId = passkeyRpId(settings);
  const found = rpId === undefined ? undefined : await foreignRpId.first(database, { rpId });
  if (rpId === undefined || !found) return undefined;
  const text = `The passkeys in the database are bound to ${found.rp_id} and do not work with ${rpId}.`;
  return `${text} Set PASSKEY_RP_ID=${found.rp_id}, or remove them before the change: authsvc passkey remove.`;
}
