import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Sealer } from '../lib/sealing.ts';
import { matchTotp, newestTotpStep } from '../lib/totp.ts';
import { asTyped } from '../settings/as-typed.ts';
import type { SecondFactorCode } from './code.ts';
import { acceptTotpStep, deleteGuesses, renewTotpSecret, totpFactorsOfUser } from './queries.ts';
import { consumeRecoveryCode } from './recovery-codes.ts';
import { TOTP_PURPOSE } from './totp-secret.ts';

/** An authenticator app whose secret can be read. */
export interface TotpFactor {
  id: number;
  /** As the database holds it. */
  sealed: string;
  secret: string;
  /** The time step of the last accepted code. */
  lastStep: number;
}

/**
 * Lists the authenticator apps of a user.
 *
 * @throws AppError SECOND_STEP_MISCONFIGURED if there are some, but none can be read; the log says why
 */
export async function readTotpFactors(handle: Handle, sealer: Sealer, userId: number): Promise<TotpFactor[]> {
  const rows = await totpFactorsOfUser.all(handle, { userId });
  const readable = rows.flatMap(({ id, secret: sealed, last_step: lastStep }) => {
    const secret = sealer.open(TOTP_PURPOSE, sealed);
    return secret === undefined ? [] : [{ id, sealed, secret, lastStep }];
  });
  if (rows.length > 0 && readable.length === 0) {
    const reason = `no secret in SESSION_SECRET_KEY opens the second factor of user ${userId}`;
    const cause = new Error(`${reason}: run ${asTyped('2fa enable')} again`);
    throw new AppError('SECOND_STEP_MISCONFIGURED', { userId, cause });
  }
  return readable;
}

/** A code that was right when it was looked at, and that is still to be used up. */
export type Proof = { kind: 'totp'; factor: TotpFactor; step: number } | { kind: 'recovery'; code: string };

/**
 * Looks at a code, without using it up.
 *
 * @param factors what readTotpFactors returns
 * @returns undefined for a wrong or used code; whether a recovery code exists is found out when it is used
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

async function acceptTotp(
  tx: Handle,
  sealer: Sealer,
  { factor, step, now }: { factor: TotpFactor; step: number; now: number },
): Promise<boolean> {
  const { id, sealed: secret } = factor;
  if ((await acceptTotpStep.run(tx, { id, secret, step, newest: newestTotpStep(now) })) === 0) return false;
  const renewed = sealer.renew(TOTP_PURPOSE, secret);
  if (renewed !== secret) await renewTotpSecret.run(tx, { id, secret, renewed });
  return true;
}

/**
 * Uses up a code and forgives the guesses before it.
 *
 * @param tx open transaction that holds the user's row
 * @returns false if the code was used before or is none; nothing has changed then
 * @see RFC 6238 §5.2; OWASP ASVS 5.0 6.5.1
 */
export async function consumeProof(
  tx: Handle,
  sealer: Sealer,
  { userId, proof, now }: { userId: number; proof: Proof; now: number },
): Promise<boolean> {
  const isUsed =
    proof.kind === 'recovery'
      ? await consumeRecoveryCode(tx, sealer, userId, proof.code)
      : await acceptTotp(tx, sealer, { ...proof, now });
  if (isUsed) await deleteGuesses.run(tx, { userId });
  return isUsed;
}
