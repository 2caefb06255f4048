import type { Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { parseCode, withoutSpaces } from '../factors/code.ts';
import { CONFIRMATION_MS, getConfirmation } from '../factors/confirmation.ts';
import type { AnsweringBrowser } from '../factors/passkey-challenge.ts';
import { proveCode } from '../factors/prove-code.ts';
import { provePasskey, usePasskey } from '../factors/prove-passkey.ts';
import { consumeProof } from '../factors/verify-code.ts';
import type { Services } from '../http/route.ts';
import { confirmSession } from '../sessions/own-session-queries.ts';
import type { Session } from '../sessions/session.ts';
import { isPasswordOf, type PasswordGuess } from '../signin/check-password.ts';
import type { UserWithHash } from '../users/find-user.ts';
import { passwordLengthError } from '../users/password-rules.ts';
import { lockUser, lockUserWithPassword } from '../users/queries.ts';
import { getOwnUser } from './own-user.ts';

type Needs = Pick<Services, 'database' | 'passwords' | 'clock' | 'dataSealer' | 'guessTurns' | 'settings' | 'baseUrl'>;

/** An attempt to confirm a session with a proof of the user's identity. */
export interface ConfirmationAttempt {
  session: Pick<Session, 'id' | 'userId'>;
  proof:
    | { way: 'password' | 'totp'; text: string }
    /** `response` is untrusted JSON. */
    | { way: 'passkey'; response: unknown; from: AnsweringBrowser };
  client: Omit<PasswordGuess, 'password'>;
}

const failed = (userId: number) => new AppError('CONFIRMATION_FAILED', { userId });

async function confirmNow(tx: Transaction, { id }: Pick<Session, 'id'>, now: number): Promise<number> {
  const until = now + CONFIRMATION_MS;
  if ((await confirmSession.run(tx, { id, until, now })) === 0) throw new AppError('NOT_SIGNED_IN');
  return until;
}

async function confirmByPassword(
  services: Needs,
  user: UserWithHash,
  { session, client, password }: Omit<ConfirmationAttempt, 'proof'> & { password: string },
): Promise<number> {
  const { id, passwordVersion: version } = user;
  if (passwordLengthError(password)) throw failed(id);
  if (!(await isPasswordOf(services, user, { password, ...client }))) throw failed(id);
  return services.database.transaction(async (tx) => {
    if ((await lockUserWithPassword.run(tx, { id, version })) === 0) throw failed(id);
    return confirmNow(tx, session, services.clock.now());
  });
}

async function confirmByCode(
  services: Needs,
  { id: sessionId, userId }: ConfirmationAttempt['session'],
  typed: string,
): Promise<number> {
  const { database, clock, dataSealer } = services;
  const code = parseCode(withoutSpaces(typed));
  const proof = code && (await proveCode(services, userId, code));
  if (!proof) throw failed(userId);
  return database.transaction(async (tx) => {
    if ((await lockUser.run(tx, { id: userId })) === 0) throw new AppError('NOT_SIGNED_IN');
    if (!(await consumeProof(tx, dataSealer, { userId, proof, now: clock.now() }))) throw failed(userId);
    return confirmNow(tx, { id: sessionId }, clock.now());
  });
}

/** Converts PASSKEY_REFUSED into CONFIRMATION_FAILED, so that all failed confirmations get the same error. */
function failLike(error: unknown): never {
  if (error instanceof AppError && error.code === 'PASSKEY_REFUSED')
    throw new AppError('CONFIRMATION_FAILED', error.parameters);
  throw error;
}

async function confirmByPasskey(
  services: Needs,
  { id: sessionId, userId }: ConfirmationAttempt['session'],
  answer: { response: unknown; from: AnsweringBrowser },
): Promise<number> {
  const { database, clock } = services;
  const proven = await provePasskey(services, { ...answer, purpose: 'confirmation' }).catch(failLike);
  if (proven.userId !== userId) throw failed(userId);
  return database.transaction(async (tx) => {
    if ((await lockUser.run(tx, { id: userId })) === 0) throw new AppError('NOT_SIGNED_IN');
    await usePasskey(tx, proven, clock.now()).catch(failLike);
    return confirmNow(tx, { id: sessionId }, clock.now());
  });
}

/**
 * Confirms a session. The user proves their identity again, in one of the ways that they have. A recovery code can
 * be used only once.
 *
 * @returns the time until which the session is confirmed
 * @throws AppError CONFIRMATION_FAILED if the proof is wrong, or if the user does not have this way to confirm;
 * TOO_MANY_LOGINS or TOO_MANY_CODES while the account must wait; SECOND_STEP_MISCONFIGURED if no factor can be read;
 * NOT_SIGNED_IN or ACCOUNT_INACTIVE if the session or the user has ended meanwhile
 * @see docs/interface.md Confirmation; OWASP ASVS 5.0 7.5.3
 */
export async function confirm(services: Needs, attempt: ConfirmationAttempt): Promise<number> {
  const { session, proof, client } = attempt;
  const user = await getOwnUser(services.database, session);
  const { ways } = await getConfirmation(services, session);
  if (!ways.includes(proof.way)) throw failed(user.id);
  if (proof.way === 'passkey') return confirmByPasskey(services, session, proof);
  if (proof.way === 'totp') return confirmByCode(services, session, proof.text);
  return confirmByPassword(services, user, { session, client, password: proof.text });
}
