import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { blockGuesses, countGuess, guessesOfUser } from './queries.ts';

/**
 * The number of guesses that are free. From then on, the account must wait after every five guesses, and each wait
 * is twice as long as the previous one, up to `MAX_WAIT_MS`.
 */
const FREE_GUESSES = 10;
const GUESSES_PER_WAIT = 5;
const MAX_WAIT_MS = 60 * MINUTE_MS;

function waitAfter(guesses: number): number {
  if (guesses < FREE_GUESSES || guesses % GUESSES_PER_WAIT !== 0) return 0;
  const doublings = (guesses - FREE_GUESSES) / GUESSES_PER_WAIT;
  return Math.min(MAX_WAIT_MS, MINUTE_MS * 2 ** doublings);
}

/**
 * Counts one guess at an account's second factor.
 *
 * Call it before the code is checked, so that concurrent guesses do not get more tries than consecutive ones. A
 * right code resets the count (`deleteGuesses`).
 *
 * @param tx open transaction that has locked the user's row
 * @throws AppError TOO_MANY_CODES while the account must wait
 * @see OWASP ASVS 5.0 6.6.3
 */
export async function takeGuess(tx: Handle, userId: number, now: number): Promise<void> {
  const counted = await countGuess.first(tx, { userId, now, latest: now + MAX_WAIT_MS });
  if (!counted) {
    const until = (await guessesOfUser.first(tx, { userId }))?.blocked_until ?? now;
    const retryAfterSeconds = Math.max(1, Math.ceil((until - now) / 1000));
    throw new AppError('TOO_MANY_CODES', { userId, retryAfterSeconds, limit: GUESSES_PER_WAIT });
  }
  const wait = waitAfter(counted.guesses);
  if (wait > 0) await blockGuesses.run(tx, { userId, until: now + wait });
}
