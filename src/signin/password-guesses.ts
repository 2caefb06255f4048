import { createHmac } from 'node:crypto';
import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { CLOCK_TOLERANCE_MS, MINUTE_MS } from '../lib/clock.ts';
import type { GuessTurns } from './guess-turns.ts';
import { deletePasswordGuesses, insertPasswordGuesses, passwordGuessesOf, updatePasswordGuesses } from './queries.ts';

const PURPOSE = 'password guesses';
/** Wrong passwords in an hour. The last of them and each further one cost a wait, which doubles each time. */
const MAX_GUESSES = 20;
const WINDOW_MS = 60 * MINUTE_MS;
const FIRST_WAIT_MS = MINUTE_MS;
const MAX_WAIT_MS = 60 * MINUTE_MS;
/** How often a guess waits for others that may turn out to be right. */
const MAX_ROUNDS = 3;

declare module '../http/route.ts' {
  interface Services {
    /** Counts guesses of one budget one after the other; a guarded update decides between processes. */
    guessTurns: GuessTurns;
  }
}

type Needs = Pick<Services, 'database' | 'guessTurns'>;

interface Guesses {
  /** The times of the latest guesses, at most as many as the budget allows. */
  times: readonly number[];
  /** Guesses since the budget was used up, including the last one of the budget. */
  over: number;
}

const NONE: Guesses = { times: [], over: 0 };

/** A guess that was counted before its password was checked. */
export interface CountedGuess {
  budget: string;
  at: number;
}

/**
 * Returns the key of an account's budget: that of a browser where its owner has signed in, or the one that all others
 * share.
 *
 * @param account the key of the name, whether such a user exists or not
 * @param browserId undefined for all others
 */
export function guessBudget(dataSealer: DataSealer, account: string, browserId: string | undefined): string {
  const [key] = dataSealer.keys(PURPOSE);
  if (!key) throw new Error('no key for password guesses');
  const text = JSON.stringify(browserId === undefined ? [account] : [account, browserId]);
  return createHmac('sha256', key).update(text).digest('hex');
}

const waitAfter = (over: number): number => (over === 0 ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (over - 1)));

/** When guesses become irrelevant: an hour after the last one, and not before a while after the wait ends. */
const endOf = ({ times, over }: Guesses): number => Math.max(...times) + Math.max(WINDOW_MS, 2 * waitAfter(over));

const parseTimes = (text: string): number[] => {
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) ? list.filter((time) => typeof time === 'number') : [];
};

/** The part of a row that counts now. */
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

/** Replaces the count, unless another request did so meanwhile. */
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

/** @returns milliseconds to wait for the next guess; 0: the guess is counted */
async function count(database: Handle, budget: string, now: number): Promise<number> {
  // Most accounts have no wrong guess, and a first one needs no row to be read.
  if (await replace(database, budget, [undefined, withGuess(NONE, now)])) return 0;
  for (;;) {
    const row = await passwordGuessesOf.first(database, { budget });
    const guesses = guessesNow(row, now);
    const waitMs = Math.max(0, ...guesses.times) + waitAfter(guesses.over) - now;
    if (guesses.over > 0 && waitMs > 0) return waitMs;
    if (await replace(database, budget, [row, withGuess(guesses, now)])) return 0;
  }
}

/** The same in a transaction of the caller, whose commit it shares. */
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
 * Call it before the password is checked, so that many guesses at once get no more tries than one after the other.
 * `returnGuess` takes it back. Neither waits for the disk: a guess that is lost with the machine helps no attacker.
 *
 * Many right passwords at once can use up a budget until they are given back. So the next guess waits for those whose
 * passwords are being compared, instead of being refused.
 *
 * @param budget from guessBudget
 * @throws AppError TOO_MANY_LOGINS while the budget is used up, also for the right password
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

/** Takes a guess back, because its password was right or was not checked. */
export const returnGuess = ({ database, guessTurns }: Needs, guess: CountedGuess): Promise<void> =>
  guessTurns.run(guess.budget, () => returnGuessIn(database.unsynced, guess));
