import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { type Asker, AskerGone, QueueFull } from '../lib/fair-queue.ts';
import type { UserWithHash } from '../users/find-user.ts';
import { parseUsername } from '../users/username.ts';
import { isKnownBrowserOf, type KnownBrowser } from './known-browser.ts';
import { type CountedGuess, guessBudget, returnGuess, takeGuess } from './password-guesses.ts';

/** A password that a client sends for an account, and who sends it. */
export interface PasswordGuess {
  password: string;
  /** Identifies the client, so that every client gets a fair share of the hashing queue. */
  asker: Asker;
  browser: KnownBrowser;
}

/** The account that the client names. Only the name is present if no user has it. */
export type GuessedAccount = Pick<UserWithHash, 'username'> &
  Partial<Pick<UserWithHash, 'id' | 'passwordHash' | 'passwordVersion'>>;

type Needs = Pick<Services, 'database' | 'passwords' | 'clock' | 'dataSealer' | 'guessTurns'>;

/**
 * Compares a password with the hash of an account. An account without a hash costs one hash too, so that the response
 * time does not reveal whether the account exists.
 */
async function compare({ passwords }: Needs, account: GuessedAccount, guess: PasswordGuess): Promise<boolean> {
  const { password, asker } = guess;
  if (!account.passwordHash) return passwords.verifyNothing(password, asker);
  return passwords.verify(account.passwordHash, password, asker).catch((error: unknown) => {
    if (error instanceof QueueFull || error instanceof AskerGone) throw error;
    throw new Error(`the password of user ${account.id} could not be compared with its hash`, { cause: error });
  });
}

/**
 * Returns the budget that a guess counts against. A browser in which the account's owner has signed in before has a
 * budget of its own.
 */
function budgetOf({ dataSealer, clock }: Needs, account: GuessedAccount, browser: KnownBrowser): string {
  const { id, username, passwordVersion: version = 0 } = account;
  const isKnown = id !== undefined && isKnownBrowserOf(browser, id, clock.now());
  const browserId = isKnown ? browser.id : undefined;
  return guessBudget(dataSealer, { account: parseUsername(username)?.key ?? username, version, browserId });
}

/**
 * Compares a password with that of an account. Every check that a password is right uses this function, because it
 * counts wrong passwords per account, whatever client addresses they come from.
 *
 * @returns the counted guess if the password is right; undefined if the password is wrong. The guess counts as wrong
 *   until the caller passes it to `returnGuess`
 * @throws AppError TOO_MANY_LOGINS while the account, or this browser of its owner, must wait
 * @throws QueueFull if too many passwords wait to be hashed
 * @throws AskerGone if the client disconnects before the check ends
 * @throws Error if the stored hash cannot be read, which is a fault and not a wrong password
 * @see docs/interface.md Guessing; ASVS 5.0 6.3.1, 6.3.8
 */
export async function checkPassword(
  services: Needs,
  account: GuessedAccount,
  guess: PasswordGuess,
): Promise<CountedGuess | undefined> {
  const taken = await takeGuess(services, budgetOf(services, account, guess.browser), services.clock.now()).catch(
    (error: unknown) => {
      if (!(error instanceof AppError) || account.id === undefined) throw error;
      throw new AppError(error.code, { ...error.parameters, userId: account.id });
    },
  );
  const isRight = await services.guessTurns
    .compare(taken.budget, () => compare(services, account, guess))
    .catch(async (error: unknown) => {
      await returnGuess(services, taken);
      throw error;
    });
  return isRight ? taken : undefined;
}

/**
 * Refuses a new password that equals the current one. This check does not count as a guess, because the caller has
 * proven that the user may replace the password anyway.
 *
 * @throws AppError PASSWORD_UNCHANGED
 * @throws QueueFull if too many passwords wait to be hashed
 * @throws AskerGone if the client disconnects before the check ends
 */
export async function requireOtherPassword(
  { passwords }: Pick<Needs, 'passwords'>,
  { hasPassword, passwordHash }: Pick<UserWithHash, 'hasPassword' | 'passwordHash'>,
  { password, asker }: Pick<PasswordGuess, 'password' | 'asker'>,
): Promise<void> {
  if (!hasPassword) return;
  const isSame = await passwords.verify(passwordHash, password, asker).catch((error: unknown) => {
    if (error instanceof QueueFull || error instanceof AskerGone) throw error;
    return false; // A hash that cannot be read must not keep the user from setting a new password.
  });
  if (isSame) throw new AppError('PASSWORD_UNCHANGED', { field: 'new_password' });
}

/** Returns whether a password belongs to an account. Throws the same errors as `checkPassword`. */
export async function isPasswordOf(services: Needs, account: GuessedAccount, guess: PasswordGuess): Promise<boolean> {
  const right = await checkPassword(services, account, guess);
  if (right) await returnGuess(services, right);
  return right !== undefined;
}
