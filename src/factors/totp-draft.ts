import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { matchTotp, newTotpSecret, TOTP_CODE_SHAPE } from '../lib/totp.ts';
import { consumeDraftAttempt, type DraftHolder, deleteDraft, draftOfHolder, putDraft } from './queries.ts';
import { TOTP_PURPOSE } from './totp-secret.ts';

const LIFE_MS = 10 * MINUTE_MS;
const ATTEMPTS = 5;

/** A secret that has no effect until one of its codes is entered. */
export interface TotpDraft {
  /** Base32. */
  secret: string;
  expiresAt: number;
}

/**
 * Drafts an authenticator app for a user, in place of a former draft of the same holder.
 *
 * @param tx open transaction that holds the row of the user and that of the holder
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

/** The draft of a holder, while a code of it still counts. */
export async function findDraft(
  handle: Handle,
  dataSealer: DataSealer,
  { holder, now }: { holder: DraftHolder; now: number },
): Promise<TotpDraft | undefined> {
  const row = await draftOfHolder.first(handle, { holder, now });
  const secret = row && dataSealer.open(TOTP_PURPOSE, row.secret);
  return row && secret !== undefined ? { secret, expiresAt: row.expires_at } : undefined;
}

/** A draft with a right code that is not used up yet. */
export interface ConfirmedDraft {
  id: number;
  /** As stored in the database. */
  sealed: string;
  secret: string;
  /** The time step of the code. */
  step: number;
}

/**
 * Compares a code with the draft of a holder. Counts the attempt before it checks the code.
 *
 * @param handle database, or a transaction that is committed even if the code is wrong
 * @throws AppError TOTP_NOT_STARTED without a draft, or after five attempts; TOTP_CODE_INCORRECT
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
 * Uses up a draft.
 *
 * @param tx open transaction that holds the user's row
 * @throws AppError TOTP_NOT_STARTED if another request was faster
 */
export async function consumeDraft(tx: Handle, { id, sealed }: ConfirmedDraft): Promise<void> {
  if ((await deleteDraft.run(tx, { id, secret: sealed })) === 0) throw new AppError('TOTP_NOT_STARTED');
}
