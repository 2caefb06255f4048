import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { matchTotp, newestTotpStep } from '../lib/totp.ts';
import { asTyped } from '../settings/as-typed.ts';
import type { SecondFactorCode } from './code.ts';
import { acceptTotpStep, deleteGuesses, totpFactorsOfUser } from './queries.ts';
import { consumeRecoveryCode } from './recovery-codes.ts';
import { TOTP_PURPOSE } from './totp-secret.ts';

/** An authenticator app whose secret was decrypted. */
export interface TotpFactor {
  id: number;
  /** The sealed secret, as it is stored in the database. */
  sealed: string;
  secret: string;
  /** The time step of the last accepted code. */
  lastStep: number;
}

/**
 * Lists the authenticator apps of a user whose secrets can be decrypted.
 *
 * @throws AppError SECOND_STEP_MISCONFIGURED if the user has authenticator apps but no secret can be decrypted; the
 * log contains the reason
 */
export async function readTotpFactors(handle: Handle, dataSealer: DataSealer, userId: number): Promise<TotpFactor[]> {
  const rows = await totpFactorsOfUser.all(handle, { userId });
  const readable = rows.flatMap(({ id, secret: sealed, last_step: lastStep }) => {
    const secret = dataSealer.open(TOTP_PURPOSE, sealed);
    return secret === undefined ? [] : [{ id, sealed, secret, lastStep }];
  });
  if (rows.length > 0 && readable.length === 0) {
    const cause = new Error(
      `SESSION_SECRET_KEY cannot decrypt the second factor of user ${userId}: add the old secret, or run ${asTyped('2fa enable')}`,
    );
    throw new AppError('SECOND_STEP_MISCONFIGURED', { userId, cause });
  }
  return readable;
}

/**
 * A code that is not marked as used yet. A code of an authenticator app is already verified. A recovery code is not:
 * `consumeProof` finds out whether it exists.
 */
export type Proof = { kind: 'totp'; factor: TotpFactor; step: number } | { kind: 'recovery'; code: string };

/**
 * Verifies a code of an authenticator app without marking it as used. Returns a recovery code without verifying it.
 *
 * @param factors from `readTotpFactors`
 * @returns undefined if the code of an authenticator app is wrong or was used before
 */
export function matchCode(factors: readonly TotpFactor[], code: SecondFactorCode, now: number): Proof | undefined {
  if (code.kind === 'recovery') return { kind: 'recovery', code: code.text };
  for (const factor of factors) {
    const step = matchTotp(factor.secret, code.text, now);
    if (step === undefined) continue;
    const isUsed = step <= factor.lastStep && factor.lastStep <= newestTotpStep(now);
    if (!isUsed) return { kind: 'totp', factor, step };
  }
  return undefined;
}

interface Use {
  userId: number;
  proof: Proof;
  now: number;
}

async function useUp(tx: Handle, dataSealer: DataSealer, { userId, proof, now }: Use): Promise<boolean> {
  if (proof.kind === 'recovery') return consumeRecoveryCode(tx, dataSealer, { userId, code: proof.code });
  const { factor, step } = proof;
  const accepted = { id: factor.id, secret: factor.sealed, step, newest: newestTotpStep(now) };
  return (await acceptTotpStep.run(tx, accepted)) > 0;
}

/**
 * Marks a code as used and resets the user's count of guesses.
 *
 * @param tx open transaction that has locked the user's row
 * @returns false if the code was used before or does not exist; nothing is changed then
 * @see RFC 6238 §5.2; OWASP ASVS 5.0 6.5.1
 */
export async function consumeProof(tx: Handle, dataSealer: DataSealer, use: Use): Promise<boolean> {
  const isUsed = await useUp(tx, dataSealer, use);
  if (isUsed) await deleteGuesses.run(tx, { userId: use.userId });
  return isUsed;
}
