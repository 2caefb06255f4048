import { createHmac } from 'node:crypto';
import type { Handle } from '../db/handle.ts';
import { randomSymbols } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';
import { deleteRecoveryCode, deleteRecoveryCodesOfUser, insertRecoveryCode } from './queries.ts';

const COUNT = 10;
/** Letters and digits that nobody mistakes for one another. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUP = 5;

/** Two groups of five characters; the hyphen may be left out. */
export const RECOVERY_CODE_SHAPE = new RegExp(`^[${ALPHABET}]{${GROUP}}-?[${ALPHABET}]{${GROUP}}$`);

function hashes(sealer: Sealer, userId: number, code: string): string[] {
  const plain = code.replace('-', '');
  return sealer
    .keys('recovery code')
    .map((key) => createHmac('sha256', key).update(`${userId} ${plain}`).digest('hex'));
}

/**
 * Gives a user ten new recovery codes in place of any former ones.
 *
 * Gives   the codes, 50 random bits each; they are shown once, for only a keyed hash is stored.
 * Source  ASVS 5.0 6.5.2, 6.5.3
 */
export async function renewRecoveryCodes(tx: Handle, sealer: Sealer, userId: number): Promise<string[]> {
  await deleteRecoveryCodesOfUser.run(tx, { userId });
  const codes: string[] = [];
  for (let made = 0; made < COUNT; made += 1) {
    const code = `${randomSymbols(ALPHABET, GROUP)}-${randomSymbols(ALPHABET, GROUP)}`;
    const [hash = ''] = hashes(sealer, userId, code);
    await insertRecoveryCode.run(tx, { hash, userId });
    codes.push(code);
  }
  return codes;
}

/** Uses a code up. Gives false when it was none, or was used before. */
export async function consumeRecoveryCode(tx: Handle, sealer: Sealer, userId: number, code: string): Promise<boolean> {
  return (await deleteRecoveryCode.run(tx, { hashes: hashes(sealer, userId, code), userId })) > 0;
}
