import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { CookieChange } from '../http/cookies.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { Session } from '../sessions/session.ts';

const PURPOSE = 'cookie shown_once';

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
 * a minute at most; another session cannot open it.
 *
 * Why: after a form, the browser is redirected, so that a reload repeats nothing; and neither an address nor the database
 * may hold the secret.
 */
export function shownOnceCookie(
  { sealer, now }: Reader,
  { ref }: Pick<Session, 'ref'>,
  content: ShownOnce,
): CookieChange {
  const expiresAt = now + MINUTE_MS;
  const value = sealer.seal(PURPOSE, JSON.stringify({ session: ref, expiresAt, content }));
  return { cookie: 'shownOnce', value, expiresAt };
}

/** Reads what a page of a session shows once from the cookies of the browser; undefined if there is nothing. */
export function openShownOnce(
  { sealer, now }: Reader,
  { ref }: Pick<Session, 'ref'>,
  values: readonly string[],
): ShownOnce | undefined {
  for (const sealed of values) {
    const text = sealer.open(PURPOSE, sealed);
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    if (Value.Check(shownOnceShape, value) && value.session === ref && value.expiresAt > now) return value.content;
  }
  return undefined;
}
