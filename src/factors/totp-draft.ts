import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { matchTotp, newTotpSecret, TOTP_CODE_SHAPE } from '../lib/totp.ts';
import { consumeDraftAttempt, type DraftHolder, deleteDraft, draftOfHolder, putDraft } from './queries.ts';
import { TOTP_PURPOSE } from './totp-secret.ts';

const LIFE_MS = 10 * MINUTE_MS;
const ATTEMPTS = 5;

/**
 * The secret of an authenticator app that is being set up. It has no effect until the user enters one of its codes.
 */
export interface TotpDraft {
  /** In base32. */
  secret: string;
  expiresAt: number;
}

/**
 * Creates a draft of an authenticator app for a user. It replaces any earlier draft of the same holder.
 *
 * @param tx open transaction that has locked the user's row and the row of the session or sign-in that the draft
 * belongs to
 */
export async function draftTotp(
  tx: Handle,
  dataSealer: DataSealer,
  { userId, holder, now }: { userId: number; holder: DraftHolder; now: number },
): Promise<TotpDraft> {
  const draft = { secret: newTotpSecret(), expiresAt: now + LIFE_MS };
  const sealed = dataSealer.seal(TOTP_PURPOSE, draft.secret);
  const { keyId } = dataSealer;
  await putDraft.run(tx, { userId, holder, sealed, keyId, attempts: ATTEMPTS, expiresAt: draft.expiresAt });
  return draft;
}

/** Finds the draft of a holder, if it has not expired and has attempts left. */
export async function findDraft(
  handle: Handle,
  dataSealer: DataSealer,
  { holder, now }: { holder: DraftHolder; now: number },
): Promise<TotpDraft | undefined> {
  const row = await draftOfHolder.first(handle, { holder, now });
  const secret = row && dataSealer.open(TOTP_PURPOSE, row.secret);
  return row && secret !== undefined ? { secret, expiresAt: row.expires_at } : undefined;
}

/** A draft for which the user entered a right code. The draft is not used up yet. */
export interface ConfirmedDraft {
  id: number;
  /** The sealed secret, as it is stored in the database. */
  sealed: string;
  secret: string;
  /** The time step of the code. */
  step: number;
}

/**
 * Compares a code with the draft of a holder. Counts the attempt before it checks the code.
 *
 * @param handle the database, or a transaction that is committed even if the code is wrong, so that the attempt
 * stays counted
 * @throws AppError TOTP_NOT_STARTED if there is no draft, or after five attempts; TOTP_CODE_INCORRECT
 * @see RFC 6238 §5.2
 */
export async function matchDraft(
  handle: Handle,
  dataSealer: DataSealer,
  { holder, code, now }: { holder: DraftHolder; code: string; now: number },
): Promise<ConfirmedDraft> {
  const row = await consumeDraftAttempt.first(handle, { holder, now });
  const secret = row && dataSealer.open(TOTP_PURPOSE, row.secret);
  if (!row || secret === undefined) throw new AppError('TOTP_NOT_STARTED');
  const step = TOTP_CODE_SHAPE.test(code) ? matchTotp(secret, code, now) : undefined;
  if (step === undefined) throw new AppError('TOTP_CODE_INCORRECT');
  return { id: row.id, sealed: row.secret, secret, step };
}

/**
 * Deletes a draft, so that it can be used only once.
 *
 * @param tx open transaction that has locked the user's row
 * @throws AppError TOTP_NOT_STARTED if a concurrent request used the draft
 */
export async function consumeDraft(tx: Handle, { id, sealed }: ConfirmedDraft): Promise<void> {
  if ((await deleteDraft.run(tx, { id, secret: sealed })) === 0) throw new AppError('TOTP_NOT_STARTED');
}
