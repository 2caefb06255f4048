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

/** The tokens that a browser has in its cookie, one for each user who trusts it. */
export interface TrustTokens {
  byUser: ReadonlyMap<number, string>;
  /** Whether the cookie is older than data keys, and was therefore sealed with a session secret. */
  isFormer: boolean;
}

function parseTokens(text: string): ReadonlyMap<number, string> {
  const pairs = text.split(' ').map((pair) => pair.split(':'));
  return new Map(pairs.map(([userId, token]) => [Number(userId), token ?? '']));
}

/**
 * Opens the cookie that contains a browser's tokens.
 *
 * A data key seals the cookie, because it lives for weeks and SESSION_SECRET_KEY may be replaced in that time.
 *
 * @param values values of the cookie; a browser may send several
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

/**
 * Finds the trust with which a user skips the second step in this browser. Returns undefined if the user does not trust
 * this browser.
 */
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
 * Trusts the browser of this sign-in, so that the user skips the second step there in the future. The trust ends when
 * the user's password or second factors change.
 *
 * @param tx open transaction that has locked the user's row and has marked a code of the user as used
 * @returns the token for the browser; only its hash is stored
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
 * Returns the cookie that adds a user's token to a browser and keeps the tokens of other users.
 *
 * @param tokens the tokens that the browser already has
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
