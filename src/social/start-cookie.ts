import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { CookieChange, FamilyMember } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { MINUTE_MS } from '../lib/clock.ts';

const PURPOSE = 'cookie social_start';
const LIFE_MS = 10 * MINUTE_MS;
const PART_LENGTH = 12;
/**
 * How many started sign-ins a browser keeps, and how many characters their cookies may have together. Servers and proxies
 * limit the size of headers.
 */
const MAX_KEPT = 5;
const MAX_CHARACTERS = 4800;

const startShape = Type.Object({
  provider: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  redirect: Type.String(),
  /** Set if the person links an account instead of signing in: the ref of the session that started it. */
  linkFor: Type.Optional(Type.String()),
  expiresAt: Type.Number(),
  /** Whether the sign-in has been completed. Then its cookie only records where the sign-in went. */
  isUsed: Type.Boolean(),
});

/** A started sign-in: the data that the browser keeps in a cookie while the person is at the provider. */
export type Start = Static<typeof startShape>;

const partOf = (state: string): string => state.slice(0, PART_LENGTH);

/**
 * The cookies of started sign-ins that a browser has sent (`held`), and the services that open and seal such cookies.
 */
export interface HeldStarts extends Pick<Services, 'sealer' | 'clock'> {
  held: readonly FamilyMember[];
}

function open({ sealer, clock }: HeldStarts, sealed: string): Start | undefined {
  const text = sealer.open(PURPOSE, sealed);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return Value.Check(startShape, value) && value.expiresAt > clock.now() ? value : undefined;
}

/** Clears the oldest cookies, so that one more cookie with `room` characters stays within the limits. */
function makeRoom(starts: HeldStarts, room: number): CookieChange[] {
  const byAge = starts.held
    .map(({ part, value }) => ({ part, size: value.length, age: open(starts, value)?.expiresAt ?? 0 }))
    .sort((a, b) => b.age - a.age);
  let size = room;
  return byAge.flatMap((member, at) => {
    size += member.size;
    const isKept = member.age > 0 && at < MAX_KEPT - 1 && size <= MAX_CHARACTERS;
    return isKept ? [] : [{ clear: 'socialStart', part: member.part } as const];
  });
}

const cookieOf = ({ sealer }: HeldStarts, start: Start) => ({
  cookie: 'socialStart' as const,
  part: partOf(start.state),
  value: sealer.seal(PURPOSE, JSON.stringify(start)),
  expiresAt: start.expiresAt,
});

/**
 * Creates the cookie of a started sign-in, valid for ten minutes. The cookies of sign-ins in other tabs stay.
 *
 * Each started sign-in has its own cookie, so that tabs do not overwrite each other's cookies. The database has no row
 * for a sign-in that the visitor never completes. Because a cookie can be copied, the database ensures that each
 * sign-in is completed only once.
 *
 * @see RFC 9700 §4.7; RFC 6265 §6.1
 */
export function startCookies(starts: HeldStarts, start: Omit<Start, 'expiresAt' | 'isUsed'>): CookieChange[] {
  const cookie = cookieOf(starts, { ...start, expiresAt: starts.clock.now() + LIFE_MS, isUsed: false });
  return [...makeRoom(starts, cookie.value.length), cookie];
}

/** Finds the started sign-in with the given state, if this browser started it at this provider within the last ten minutes. */
export function findStart(starts: HeldStarts, provider: string, state: string): Start | undefined {
  const found = starts.held.filter(({ part }) => part === partOf(state)).map(({ value }) => open(starts, value));
  return found.find((start) => start?.state === state && start.provider === provider);
}

/** Creates the cookie of a completed sign-in. It keeps only the data that shows where the sign-in went. */
export const usedStartCookie = (starts: HeldStarts, start: Start): CookieChange =>
  cookieOf(starts, { ...start, nonce: '', verifier: '', isUsed: true });

/** Clears the cookie of a sign-in that was refused. */
export const clearedStart = ({ state }: Start): CookieChange => ({ clear: 'socialStart', part: partOf(state) });
