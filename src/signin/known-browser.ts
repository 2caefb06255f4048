import type { DataSealer } from '../db/data-keys.ts';
import type { CookieChange } from '../http/cookies.ts';
import { DAY_MS, SECOND_MS } from '../lib/clock.ts';
import { randomText } from '../lib/random.ts';

const PURPOSE = 'cookie known_browser';
const ID_BYTES = 12;
const MAX_PEOPLE = 10;
const LIFE_MS = 365 * DAY_MS;

/** A browser, and the users who have signed in there. */
export interface KnownBrowser {
  id: string;
  /**
   * By user id, when this browser stops being known for that user, in milliseconds since the epoch. The user with the
   * latest sign-in comes first.
   */
  people: ReadonlyMap<number, number>;
}

function parseMark(text: string): KnownBrowser {
  const [id = '', ...people] = text.split(' ');
  const pairs = people.map((one) => one.split(':'));
  return { id, people: new Map(pairs.map(([userId, seconds]) => [Number(userId), Number(seconds) * SECOND_MS])) };
}

/**
 * Opens the sealed mark of a browser. Only this service can create a mark, so an attacker cannot make another browser
 * pass for the owner's browser.
 *
 * @param values the values of the browser's cookies for the mark
 */
export function openKnownBrowser(dataSealer: DataSealer, values: readonly string[]): KnownBrowser {
  for (const sealed of values) {
    const text = dataSealer.open(PURPOSE, sealed);
    if (text !== undefined) return parseMark(text);
  }
  return { id: randomText(ID_BYTES), people: new Map() };
}

/** Returns whether a user has signed in in a browser within the last year. */
export function isKnownBrowserOf({ people }: KnownBrowser, userId: number, now: number): boolean {
  const end = people.get(userId) ?? 0;
  return end > now && end <= now + LIFE_MS;
}

/**
 * Creates the cookie that marks a browser as one where a user has signed in.
 *
 * The mark stays after a sign-out or a change of the password, because it gives no access. It only gives the browser a
 * budget of password guesses that other browsers cannot use up. A data key seals it, because SESSION_SECRET_KEY may be
 * replaced within the year.
 */
export function knownBrowserCookie(
  dataSealer: DataSealer,
  { id, people }: KnownBrowser,
  { userId, now }: { userId: number; now: number },
): CookieChange {
  const expiresAt = now + LIFE_MS;
  const others = [...people].filter(([other]) => other !== userId).slice(0, MAX_PEOPLE - 1);
  const marks = [[userId, expiresAt] as const, ...others].map(([who, end]) => `${who}:${Math.floor(end / SECOND_MS)}`);
  return { cookie: 'knownBrowser', value: dataSealer.seal(PURPOSE, [id, ...marks].join(' ')), expiresAt };
}
