import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Call } from '../http/route.ts';
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

function open({ services }: Call, sealed: string): Start | undefined {
  const text = services.sealer.open(PURPOSE, sealed);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return Value.Check(startShape, value) && value.expiresAt > services.clock.now() ? value : undefined;
}

/** Clears the oldest starts, so that `room` characters and one more cookie fit into the limits. */
function makeRoom(call: Call, room: number): void {
  const { cookies } = call.services;
  const held = cookies
    .readFamily(call.request, 'socialStart')
    .map(({ part, value }) => ({ part, size: value.length, age: open(call, value)?.expiresAt ?? 0 }))
    .sort((a, b) => b.age - a.age);
  let size = room;
  held.forEach((member, at) => {
    size += member.size;
    const isKept = member.age > 0 && at < MAX_KEPT - 1 && size <= MAX_CHARACTERS;
    if (!isKept) cookies.clearMember(call.reply, 'socialStart', member.part);
  });
}

function give({ reply, services }: Call, start: Start, value: string): void {
  const life = { expiresAt: start.expiresAt, now: services.clock.now() };
  services.cookies.setMember(reply, 'socialStart', { part: partOf(start.state), value, ...life });
}

const seal = ({ services }: Call, start: Start): string => services.sealer.seal(PURPOSE, JSON.stringify(start));

/**
 * Lets the browser keep a start for ten minutes, beside those of its other tabs.
 *
 * Why     one cookie for each start, so that tabs do not overwrite one another and nothing is written for a visitor
 *         who may never come back. That a start counts once is for the database to say: a cookie has copies.
 * Source  RFC 9700 §4.7; RFC 6265 §6.1
 */
export function setStartCookie(call: Call, start: Omit<Start, 'expiresAt' | 'isUsed'>): void {
  const kept = { ...start, expiresAt: call.services.clock.now() + LIFE_MS, isUsed: false };
  const value = seal(call, kept);
  makeRoom(call, value.length);
  give(call, kept, value);
}

/** The start that a state belongs to, where this browser made it at this provider in the last ten minutes. */
export function findStart(call: Call, provider: string, state: string): Start | undefined {
  const found = call.services.cookies
    .readFamily(call.request, 'socialStart')
    .filter(({ part }) => part === partOf(state))
    .map(({ value }) => open(call, value));
  return found.find((start) => start?.state === state && start.provider === provider);
}

/** Makes a start good for nothing but invalidating where it led. */
export function consumeStart(call: Call, start: Start): void {
  const used = { ...start, nonce: '', verifier: '', isUsed: true };
  give(call, used, seal(call, used));
}

/** Takes a start from the browser: it was refused. */
export function clearStartCookie({ reply, services }: Call, { state }: Start): void {
  services.cookies.clearMember(reply, 'socialStart', partOf(state));
}
