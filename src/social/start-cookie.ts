import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { CookieChange, FamilyMember } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { MINUTE_MS } from '../lib/clock.ts';

const PURPOSE = 'cookie social_start';
const LIFE_MS = 10 * MINUTE_MS;
const PART_LENGTH = 12;
/** So many starts are kept in one browser, and so many characters of cookies: servers and proxies limit headers. */
const MAX_KEPT = 5;
const MAX_CHARACTERS = 4800;

const startShape = Type.Object({
  provider: Type.String(),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
  redirect: Type.String(),
  expiresAt: Type.Number(),
  /** A sign-in ended with it; this is kept only to tell where that led. */
  isUsed: Type.Boolean(),
});

/** What a browser keeps of a sign-in while it is at the provider. */
export type Start = Static<typeof startShape>;

const partOf = (state: string): string => state.slice(0, PART_LENGTH);

/** What reading and sealing starts takes, and the cookies of starts that a browser presents. */
export interface HeldStarts extends Pick<Services, 'sealer' | 'clock'> {
  held: readonly FamilyMember[];
}

function open({ sealer, clock }: HeldStarts, sealed: string): Start | undefined {
  const text = sealer.open(PURPOSE, sealed);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return Value.Check(startShape, value) && value.expiresAt > clock.now() ? value : undefined;
}

/** Clears the oldest starts, so that `room` characters and one more cookie fit into the limits. */
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
 * Lets a browser keep a start for ten minutes, beside those of its other tabs.
 *
 * One cookie for each start, so that tabs do not overwrite one another and nothing is written for a visitor who may never
 * come back. That a start counts once is for the database to say: a cookie has copies.
 *
 * @see RFC 9700 §4.7; RFC 6265 §6.1
 */
export function startCookies(starts: HeldStarts, start: Omit<Start, 'expiresAt' | 'isUsed'>): CookieChange[] {
  const cookie = cookieOf(starts, { ...start, expiresAt: starts.clock.now() + LIFE_MS, isUsed: false });
  return [...makeRoom(starts, cookie.value.length), cookie];
}

/** The start that a state belongs to, where this browser made it at this provider in the last ten minutes. */
export function findStart(starts: HeldStarts, provider: string, state: string): Start | undefined {
  const found = starts.held.filter(({ part }) => part === partOf(state)).map(({ value }) => open(starts, value));
  return found.find((start) => start?.state === state && start.provider === provider);
}

/** Makes a start good for nothing but telling where it led. */
export const usedStartCookie = (starts: HeldStarts, start: Start): CookieChange =>
  cookieOf(starts, { ...start, nonce: '', verifier: '', isUsed: true });

/** Takes a start from the browser: it was refused. */
export const clearedStart = ({ state }: Start): CookieChange => ({ clear: 'socialStart', part: partOf(state) });
