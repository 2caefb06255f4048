import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { SecondFactorCode } from '../factors/code.ts';
import {
  acceptTotpStep,
  blockTotp,
  consumeTotpGuess,
  resetTotpGuesses,
  userForSecondStep,
} from '../factors/queries.ts';
import { consumeRecoveryCode } from '../factors/recovery-codes.ts';
import { TOTP_PURPOSE } from '../factors/totp-secret.ts';
import { type Trust, trustBrowser } from '../factors/trusted-browser.ts';
import type { Services } from '../http/route.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { matchTotp } from '../lib/totp.ts';
import { deleteSecondStep } from '../sessions/queries.ts';
import { asTyped } from '../settings/as-typed.ts';
import type { SecondStep } from './find-second-step.ts';
import { type BrowserFacts, type OpenedSession, openSession } from './open-session.ts';
import { consumeAttempt } from './queries.ts';

/** Guesses that an account has before each next five cost a wait, twice as long each time. */
const FREE_GUESSES = 10;
const GUESSES_A_WAIT = 5;
const MAX_WAIT_MS = 60 * MINUTE_MS;

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'sealer'>;
type Row = NonNullable<Awaited<ReturnType<typeof userForSecondStep.first>>>;

export interface SecondStepAnswer {
  code: SecondFactorCode;
  trustsDevice: boolean;
  browser: BrowserFacts;
}

export interface CompletedSignIn extends OpenedSession {
  trust: Trust | undefined;
}

function waitAfter(guesses: number): number {
  if (guesses < FREE_GUESSES || guesses % GUESSES_A_WAIT !== 0) return 0;
  const doublings = (guesses - FREE_GUESSES) / GUESSES_A_WAIT;
  return Math.min(MAX_WAIT_MS, MINUTE_MS * 2 ** doublings);
}

/**
 * Takes one guess from the sign-in and from the account, before the code is looked at, so that many at once have no
 * more guesses than one after the other.
 */
async function takeGuess({ database, clock }: Needs, step: SecondStep, blockedUntil: number): Promise<void> {
  const now = clock.now();
  const { user_id: userId } = step;
  await database.transaction(async (tx) => {
    const guess = await consumeTotpGuess.first(tx, { id: userId, now });
    if (!guess) {
      const retryAfterSeconds = Math.max(1, Math.ceil((blockedUntil - now) / 1000));
      throw new AppError('TOO_MANY_CODES', { userId, retryAfterSeconds, limit: GUESSES_A_WAIT });
    }
    const wait = waitAfter(guess.totp_guesses);
    if (wait > 0) await blockTotp.run(tx, { id: userId, until: now + wait });
    // Thrown in here, so that a code that is not looked at costs the account nothing.
    if ((await consumeAttempt.run(tx, { id: step.id, now })) === 0)
      throw new AppError('FIRST_STEP_REQUIRED', { userId });
  });
}

/** The secret of a user's second factor. Throws SECOND_STEP_MISCONFIGURED, with the cause for the operator's log. */
function openSecret({ sealer }: Needs, user: Row): { sealed: string; secret: string } {
  const sealed = user.totp_secret;
  const secret = sealed === null ? undefined : sealer.open(TOTP_PURPOSE, sealed);
  if (sealed !== null && secret !== undefined) return { sealed, secret };
  const reason = sealed === null ? 'is missing' : 'was sealed by a secret that is no longer in SESSION_SECRET_KEY';
  const cause = new Error(`the second factor of user ${user.id} ${reason}: run ${asTyped('2fa enable')} again`);
  throw new AppError('SECOND_STEP_MISCONFIGURED', { userId: user.id, cause });
}

async function useCode(tx: Handle, services: Needs, user: Row, code: SecondFactorCode): Promise<boolean> {
  const { sealed, secret } = openSecret(services, user);
  if (code.kind === 'recovery') return consumeRecoveryCode(tx, services.sealer, user.id, code.text);
  const step = matchTotp(secret, code.text, services.clock.now());
  return step !== undefined && (await acceptTotpStep.run(tx, { id: user.id, sealed, step })) > 0;
}

/**
 * Completes a sign-in by its second factor: code, session, trust and the end of the waiting step are one transaction.
 *
 * Throws  AppError FIRST_STEP_REQUIRED when the sign-in is over, TOO_MANY_CODES while the account has to wait,
 *         SECOND_STEP_CODE_INCORRECT for a wrong or used code, SECOND_STEP_MISCONFIGURED.
 * Source  RFC 6238 §5.2; ASVS 5.0 6.5.1, 6.6.3
 */
export async function verifySecondStep(
  services: Needs,
  step: SecondStep,
  { code, trustsDevice, browser }: SecondStepAnswer,
): Promise<CompletedSignIn> {
  const { database, sealer, settings } = services;
  const user = await userForSecondStep.first(database, { id: step.user_id });
  if (!user) throw new AppError('FIRST_STEP_REQUIRED', { userId: step.user_id });
  const { sealed } = openSecret(services, user);
  await takeGuess(services, step, user.totp_blocked_until);
  return database.transaction(async (tx) => {
    const isRight = await useCode(tx, services, user, code);
    if (!isRight) throw new AppError('SECOND_STEP_CODE_INCORRECT', { userId: user.id });
    if ((await deleteSecondStep.run(tx, { id: step.id })) === 0)
      throw new AppError('FIRST_STEP_REQUIRED', { userId: user.id });
    await resetTotpGuesses.run(tx, { id: user.id, sealed: sealer.renew(TOTP_PURPOSE, sealed) });
    const { method } = step;
    const secondFactor = code.kind === 'recovery' ? 'recovery_code' : 'totp';
    const opened = await openSession(tx, services, { userId: user.id, method, secondFactor, browser });
    const enabledAt = user.totp_enabled_at ?? 0;
    const isKept = trustsDevice && settings.DEVICE_TRUST_DURATION_DAYS > 0;
    const { userAgent = '' } = browser.actor;
    const trust = isKept ? await trustBrowser(tx, services, { userId: user.id, enabledAt, userAgent }) : undefined;
    return { ...opened, trust };
  });
}
