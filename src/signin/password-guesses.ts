import { createHmac } from 'node:crypto';
import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { CLOCK_TOLERANCE_MS, MINUTE_MS } from '../lib/clock.ts';
import type { GuessTurns } from './guess-turns.ts';
import { deletePasswordGuesses, insertPasswordGuesses, passwordGuessesOf, updatePasswordGuesses } from './queries.ts';

const PURPOSE = 'password guesses';
/**
 * Maximum number of wrong passwords that are allowed within an hour. After the last of them, and after each further
 * one, the next guess must wait. The wait doubles each time.
 */
const MAX_GUESSES = 20;
const WINDOW_MS = 60 * MINUTE_MS;
const FIRST_WAIT_MS = MINUTE_MS;
const MAX_WAIT_MS = 60 * MINUTE_MS;
/** How often a guess waits for other guesses whose passwords are being compared and may be right. */
const MAX_ROUNDS = 3;

declare module '../http/route.ts' {
  interface Services {
    /**
     * Makes guesses of one budget wait for one another within this process. Between processes, a guarded update
     * decides.
     */
    guessTurns: GuessTurns;
  }
}

type Needs = Pick<Services, 'database' | 'guessTurns'>;

interface Guesses {
  /** The times of the latest guesses, at most as many as the budget allows. */
  times: readonly number[];
  /** The number of guesses since the budget was used up, including the one that used it up. */
  over: number;
}

const NONE: Guesses = { times: [], over: 0 };

/** A guess that was counted before its password was checked. */
export interface CountedGuess {
  budget: string;
  at: number;
}

interface GuessedPassword {
  /** The key of the username, whether or not such a user exists. */
  account: string;
  /** The version of the user's password; 0 if no such user exists. */
  version: number;
  /** The id of the owner's browser; undefined for all other browsers. */
  browserId: string | undefined;
}

/**
 * Returns the key of the budget that guesses at a password count against. A browser in which the account's owner has
 * signed in has a budget of its own. All other browsers share one. A new password has new budgets, so that its owner can
 * use it at once.
 */
export function guessBudget(dataSealer: DataSealer, { account, version, browserId }: GuessedPassword): string {
  const [key] = dataSealer.keys(PURPOSE);
  if (!key) throw new Error('no key for password guesses');
  const text = JSON.stringify([account, version, browserId ?? null]);
  return createHmac('sha256', key).update(text).digest('hex');
}

const waitAfter = (over: number): number => (over === 0 ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (over - 1)));

/** Returns when guesses stop counting: at least an hour after the last one, and never before the wait is over. */
const endOf = ({ times, over }: Guesses): number => Math.max(...times) + Math.max(WINDOW_MS, 2 * waitAfter(over));

const parseTimes = (text: string): number[] => {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list.filter((time) => typeof time === 'number') : [];
};

/** Returns the guesses in a row that still count at the given time. */
function guessesNow(row: { guessed_at: string; over: number } | undefined, now: number): Guesses {
  const times = row ? parseTimes(row.guessed_at).filter((time) => time <= now + CLOCK_TOLERANCE_MS) : [];
  const guesses = { times, over: row?.over ?? 0 };
  return times.length === 0 || endOf(guesses) <= now ? NONE : guesses;
}

function withGuess({ times, over }: Guesses, now: number): Guesses {
  const later = [...times, now];
  const isUsedUp = over > 0 || later.filter((time) => time > now - WINDOW_MS).length >= MAX_GUESSES;
  return { times: later.slice(-MAX_GUESSES), over: isUsedUp ? over + 1 : 0 };
}

function withoutGuess({ times, over }: Guesses, at: number): Guesses {
  const place = times.indexOf(at);
  return { times: times.filter((_time, index) => index !== place), over: Math.max(0, over - 1) };
}

/** Replaces the stored count of a budget. Returns false if another request has changed it since it was read. */
async function replace(
  database: Handle,
  budget: string,
  [row, next]: readonly [{ guessed_at: string; over: number } | undefined, Guesses],
): Promise<boolean> {
  const { times, over } = next;
  const former = row && { formerGuessedAt: row.guessed_at, formerOver: row.over };
  if (times.length === 0) {
    const gone =
      row && (await deletePasswordGuesses.run(database, { budget, guessedAt: row.guessed_at, over: row.over }));
    return gone !== 0;
  }
  const counted = { budget, guessedAt: JSON.stringify(times), over, expiresAt: endOf(next) };
  const changed = former
    ? await updatePasswordGuesses.run(database, { ...counted, ...former })
    : await insertPasswordGuesses.run(database, counted);
  return changed > 0;
}

/**
 * Counts a guess.
 *
 * @returns 0 if the guess was counted, else the milliseconds until a guess is allowed again
 */
async function count(database: Handle, budget: string, now: number): Promise<number> {
  // Most accounts have no wrong guess. So the first attempt inserts a row without reading one.
  if (await replace(database, budget, [undefined, withGuess(NONE, now)])) return 0;
  for (;;) {
    const row = await passwordGuessesOf.first(database, { budget });
    const guesses = guessesNow(row, now);
    const waitMs = Math.max(0, ...guesses.times) + waitAfter(guesses.over) - now;
    if (guesses.over > 0 && waitMs > 0) return waitMs;
    if (await replace(database, budget, [row, withGuess(guesses, now)])) return 0;
  }
}

/** Does the same as `returnGuess`, but in a transaction of the caller. */
export async function returnGuessIn(database: Handle, { budget, at }: CountedGuess): Promise<void> {
  const alone = { guessed_at: JSON.stringify([at]), over: 0 };
  if (await replace(database, budget, [alone, NONE])) return;
  for (;;) {
    const row = await passwordGuessesOf.first(database, { budget });
    if (!row) return;
    const guesses = { times: parseTimes(row.guessed_at), over: row.over };
    if (await replace(database, budget, [row, withoutGuess(guesses, at)])) return;
  }
}

/**
 * Counts a guess at an account's password.
 *
 * Call it before the password is checked, so that simultaneous guesses get no more attempts than consecutive ones.
 * `returnGuess` removes the guess from the count. On SQLite, neither function waits for the disk, because an attacker
 * gains nothing from guesses that are lost in a crash.
 *
 * Many sign-ins at once with the right password can use up a budget until their guesses are returned. So the next guess
 * is not refused at once. It first waits for the passwords that are being compared.
 *
 * @param budget key from `guessBudget`
 * @throws AppError TOO_MANY_LOGINS while the budget is used up, even if the password is right
 * @see docs/interface.md Guessing; OWASP ASVS 5.0 6.3.1
 */
export async function takeGuess({ database, guessTurns }: Needs, budget: string, now: number): Promise<CountedGuess> {
  for (let round = 0; ; round += 1) {
    const waitMs = await guessTurns.run(budget, () => count(database.unsynced, budget, now));
    if (waitMs === 0) return { budget, at: now };
    if (round < MAX_ROUNDS && (await guessTurns.compared(budget))) continue;
    const retryAfterSeconds = Math.min(Math.ceil(waitMs / 1000), MAX_WAIT_MS / 1000);
    throw new AppError('TOO_MANY_LOGINS', { retryAfterSeconds, limit: MAX_GUESSES });
  }
}

/** Removes a guess from the count, because its password was right or was not checked. */
export const returnGuess = ({ database, guessTurns }: Needs, guess: CountedGuess): Promise<void> =>
  guessTurns.run(guess.budget, () => returnGuessIn(database.unsynced, guess));
