import { createHmac } from 'node:crypto';
import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { randomSymbols } from '../lib/random.ts';
import {
  deleteRecoveryCode,
  deleteRecoveryCodesOfUser,
  formerRecoveryKeys,
  insertRecoveryCode,
  type KnownKeys,
} from './queries.ts';

/** The purpose for which the hash keys of recovery codes are derived. */
export const RECOVERY_PURPOSE = 'recovery code';
/**
 * The purpose for which the older hash keys are sealed. They were derived from session secrets, before data keys
 * existed.
 */
export const FORMER_KEY_PURPOSE = 'former recovery key';

const COUNT = 10;
/** Letters and digits that are hard to confuse with each other. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUP = 5;

/** Two groups of five characters. The hyphen between them is optional. */
export const RECOVERY_CODE_SHAPE = new RegExp(`^[${ALPHABET}]{${GROUP}}-?[${ALPHABET}]{${GROUP}}$`);

const hashOf = (key: Buffer, userId: number, code: string): string =>
  createHmac('sha256', key)
    .update(`${userId} ${code.replace('-', '')}`)
    .digest('hex');

/** Reads the older hash keys, which were derived from session secrets. */
async function readFormerKeys(handle: Handle, dataSealer: DataSealer): Promise<Buffer[]> {
  const rows = await formerRecoveryKeys.all(handle, {});
  return rows.flatMap(({ sealed_key: sealed }) => {
    const key = dataSealer.open(FORMER_KEY_PURPOSE, sealed);
    return key === undefined ? [] : [Buffer.from(key, 'hex')];
  });
}

/**
 * Creates ten new recovery codes for a user and deletes all old ones.
 *
 * @returns the codes with 50 random bits each. Show them at once, because only a keyed hash is stored
 * @see OWASP ASVS 5.0 6.5.2, 6.5.3
 */
export async function renewRecoveryCodes(tx: Handle, dataSealer: DataSealer, userId: number): Promise<string[]> {
  await deleteRecoveryCodesOfUser.run(tx, { userId });
  const [key] = dataSealer.keys(RECOVERY_PURPOSE);
  if (!key) throw new Error('no key for recovery codes');
  const codes: string[] = [];
  for (let made = 0; made < COUNT; made += 1) {
    const code = `${randomSymbols(ALPHABET, GROUP)}-${randomSymbols(ALPHABET, GROUP)}`;
    await insertRecoveryCode.run(tx, { hash: hashOf(key, userId, code), userId, keyId: dataSealer.keyId });
    codes.push(code);
  }
  return codes;
}

/**
 * Deletes a recovery code, so that it can be used only once.
 *
 * @returns false if the code does not exist or was used before
 */
export async function consumeRecoveryCode(
  tx: Handle,
  dataSealer: DataSealer,
  { userId, code }: { userId: number; code: string },
): Promise<boolean> {
  const keys = [...dataSealer.keys(RECOVERY_PURPOSE), ...(await readFormerKeys(tx, dataSealer))];
  const hashes = keys.map((key) => hashOf(key, userId, code));
  return (await deleteRecoveryCode.run(tx, { hashes, userId })) > 0;
}

/**
 * Returns the keys that are available for checking recovery codes.
 *
 * @param dataSealer undefined if no data key can be opened; no code can then be checked
 */
export async function knownRecoveryKeys(handle: Handle, dataSealer: DataSealer | undefined): Promise<KnownKeys> {
  if (!dataSealer) return { keyIds: [], hasFormerKeys: false };
  return { keyIds: dataSealer.keyIds, hasFormerKeys: (await readFormerKeys(handle, dataSealer)).length > 0 };
}
