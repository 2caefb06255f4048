import type { DataSealer } from '../db/data-keys.ts';
import type { Handle } from '../db/handle.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { randomText } from '../lib/random.ts';
import { activeTrust, insertTrust } from './queries.ts';

const PURPOSE = 'cookie trusted_device';
const TOKEN_BYTES = 32;
const MAX_USERS = 5;

/** The tokens of a browser, one for each user who trusts it. */
export interface TrustTokens {
  byUser: ReadonlyMap<number, string>;
  /** A session secret sealed them, before there were data keys. */
  isFormer: boolean;
}

function parseTokens(text: string): ReadonlyMap<number, string> {
  const pairs = text.split(' ').map((pair) => pair.split(':'));
  return new Map(pairs.map(([userId, token]) => [Number(userId), token ?? '']));
}

/**
 * Opens the tokens of a browser.
 *
 * They are sealed by a data key, because the cookie lives for weeks and SESSION_SECRET_KEY may be replaced meanwhile.
 *
 * @param values of the browser's cookies
 */
export function openTrustTokens(
  { sealer, dataSealer }: Pick<Services, 'sealer' | 'dataSealer'>,
  values: readonly string[],
): TrustTokens {
  for (const sealed of values) {
    const text = dataSealer.open(PURPOSE, sealed);
    if (text !== undefined) return { byUser: parseTokens(text), isFormer: false };
    const former = sealer.open(PURPOSE, sealed);
    if (former !== undefined) return { byUser: parseTokens(former), isFormer: true };
  }
  return { byUser: new Map(), isFormer: false };
}

export interface Trust {
  token: string;
  expiresAt: number;
}

/** The trust that lets a user skip the second step in this browser; undefined if there is none. */
export async function findTrust(
  { database, clock, settings }: Pick<Services, 'database' | 'clock' | 'settings'>,
  tokens: TrustTokens,
  userId: number,
): Promise<Trust | undefined> {
  const token = tokens.byUser.get(userId);
  if (!token || settings.DEVICE_TRUST_DURATION_DAYS === 0) return undefined;
  const trust = await activeTrust.first(database, { hash: sha256(token), userId, now: clock.now() });
  return trust && { token, expiresAt: trust.expires_at };
}

/**
 * Lets a user skip the second step in the browser of this sign-in. A change of the user's password or second factors
 * ends it.
 *
 * @param tx open transaction that holds the user's row and has used a code of the user
 * @returns the token for the browser, of which only a hash is stored
 */
export async function trustBrowser(
  tx: Handle,
  { clock, settings }: Pick<Services, 'clock' | 'settings'>,
  { userId, userAgent }: { userId: number; userAgent: string },
): Promise<Trust> {
  const now = clock.now();
  const token = randomText(TOKEN_BYTES);
  const expiresAt = now + Math.floor(settings.DEVICE_TRUST_DURATION_DAYS * DAY_MS);
  await insertTrust.run(tx, { hash: sha256(token), userId, userAgent: userAgent.slice(0, 255), now, expiresAt });
  return { token, expiresAt };
}

/**
 * Stores a token in a browser, beside those of the other users who trust it.
 *
 * @param tokens of the browser so far
 */
export function trustCookie(
  dataSealer: DataSealer,
  tokens: TrustTokens,
  { userId, token, expiresAt }: Trust & { userId: number },
): CookieChange {
  const others = [...tokens.byUser].filter(([other]) => other !== userId).slice(0, MAX_USERS - 1);
  const text = [[userId, token] as const, ...others].map((pair) => pair.join(':')).join(' ');
  return { cookie: 'trustedDevice', value: dataSealer.seal(PURPOSE, text), expiresAt };
}
