import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { CookieChange, FamilyMember } from '../http/cookies.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { randomText } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { Session } from '../sessions/session.ts';

const PURPOSE = 'cookie shown_once';
const NAME_BYTES = 9;
const MAX_KEPT = 5;

const shownOnceShape = Type.Object({
  /** The ref of the session that may see it. */
  session: Type.String(),
  expiresAt: Type.Number(),
  content: Type.Union([
    Type.Object({ kind: Type.Literal('onward'), provider: Type.String(), url: Type.String() }),
    Type.Object({ kind: Type.Literal('recovery-codes'), codes: Type.Array(Type.String()) }),
    Type.Object({ kind: Type.Literal('token'), name: Type.String(), token: Type.String() }),
  ]),
});

/** What the page after a form shows, and no page after that. */
export type ShownOnce = Static<typeof shownOnceShape>['content'];

interface Reader {
  sealer: Sealer;
  now: number;
}

/**
 * Hands the result of a form to the page that follows it. The browser keeps it sealed until that page is shown, for
 * a minute at most; another session cannot open it. Each result has a cookie of its own, so that the page of another
 * tab neither shows nor removes it.
 *
 * Why: after a form, the browser is redirected, so that a reload repeats nothing; and neither an address nor the database
 * may hold the secret.
 *
 * @param held the results that other tabs have not shown yet. The oldest of too many are cleared
 * @returns once: the name of the result, for the address of that page
 */
export function shownOnceCookies(
  { sealer, now }: Reader,
  { ref }: Pick<Session, 'ref'>,
  { content, held }: { content: ShownOnce; held: readonly FamilyMember[] },
): { once: string; cookies: CookieChange[] } {
  const once = randomText(NAME_BYTES);
  const expiresAt = now + MINUTE_MS;
  const value = sealer.seal(PURPOSE, JSON.stringify({ session: ref, expiresAt, content }));
  // Browsers send the oldest first (RFC 6265 §5.4).
  const surplus = held.slice(0, Math.max(0, held.length + 1 - MAX_KEPT)).map(({ part }) => clearedShownOnce(part));
  return { once, cookies: [...surplus, { cookie: 'shownOnce', part: once, value, expiresAt }] };
}

/** Removes a result that a page shows now, or that no page has shown. */
export const clearedShownOnce = (part: string): CookieChange => ({ clear: 'shownOnce', part });

/** Reads what a page of a session shows once from its cookie; undefined if that session may not see it any more. */
export function openShownOnce(
  { sealer, now }: Reader,
  { ref }: Pick<Session, 'ref'>,
  sealed: string,
): ShownOnce | undefined {
  const text = sealer.open(PURPOSE, sealed);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  const isFor = Value.Check(shownOnceShape, value) && value.session === ref && value.expiresAt > now;
  return isFor ? value.content : undefined;
}
