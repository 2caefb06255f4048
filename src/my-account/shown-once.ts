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
  /** The ref of the session that may open the result. */
  session: Type.String(),
  expiresAt: Type.Number(),
  content: Type.Union([
    Type.Object({ kind: Type.Literal('onward'), provider: Type.String(), url: Type.String() }),
    Type.Object({ kind: Type.Literal('recovery-codes'), codes: Type.Array(Type.String()) }),
    Type.Object({ kind: Type.Literal('token'), name: Type.String(), token: Type.String() }),
  ]),
});

/** The result of a form. Only the next page shows it, once. */
export type ShownOnce = Static<typeof shownOnceShape>['content'];

interface Reader {
  sealer: Sealer;
  now: number;
}

/**
 * Creates the cookie that passes the result of a form to the page that follows. The cookie is sealed and lasts
 * until that page is shown, for a minute at most. Another session cannot open it. Each result has its own cookie,
 * so that a page in another tab neither shows nor removes it.
 *
 * After a form, the browser is redirected, so that a reload does not repeat the form. The result is secret, so
 * neither the URL nor the database may contain it.
 *
 * @param held results that pages in other tabs have not shown yet; if there are too many, the oldest are cleared
 * @returns once: name of the result, for the URL of the page that follows
 */
export function shownOnceCookies(
  { sealer, now }: Reader,
  { ref }: Pick<Session, 'ref'>,
  { content, held }: { content: ShownOnce; held: readonly FamilyMember[] },
): { once: string; cookies: CookieChange[] } {
  const once = randomText(NAME_BYTES);
  const expiresAt = now + MINUTE_MS;
  const value = sealer.seal(PURPOSE, JSON.stringify({ session: ref, expiresAt, content }));
  // Browsers send the oldest cookie first (RFC 6265 §5.4).
  const surplus = held.slice(0, Math.max(0, held.length + 1 - MAX_KEPT)).map(({ part }) => clearedShownOnce(part));
  return { once, cookies: [...surplus, { cookie: 'shownOnce', part: once, value, expiresAt }] };
}

/** Clears a result that a page shows now, or that no page will show. */
export const clearedShownOnce = (part: string): CookieChange => ({ clear: 'shownOnce', part });

/** Opens a result. Returns undefined if it has expired or belongs to another session. */
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
