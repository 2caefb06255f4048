import type { Handle } from '../db/handle.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS } from '../lib/clock.ts';
import { sha256 } from '../lib/digest.ts';
import { randomText } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';
import { activeTrust, insertTrust } from './queries.ts';

const PURPOSE = 'cookie trusted_device';
const TOKEN_BYTES = 32;
const MAX_USERS = 5;

/** The tokens of a browser, by the user who trusts it. */
export type TrustTokens = ReadonlyMap<number, string>;

/**
 * Opens the tokens of a browser.
 *
 * @param values what the browser's cookies hold
 */
export function openTrustTokens(sealer: Sealer, values: readonly string[]): TrustTokens {
  for (const sealed of values) {
    const text = sealer.open(PURPOSE, sealed);
    if (text === undefined) continue;
    const pairs = text.split(' ').map((pair) => pair.split(':'));
    return new Map(pairs.map(([userId, token]) => [Number(userId), token ?? '']));
  }
  return new Map();
}

/** Tells whether a user may skip the second step in this browser. */
export async function isTrusted(
  { database, clock, settings }: Pick<Services, 'database' | 'clock' | 'settings'>,
  tokens: TrustTokens,
  userId: number,
): Promise<boolean> {
  const token = tokens.get(userId);
  if (!token || settings.DEVICE_TRUST_DURATION_DAYS === 0) return false;
  return (await activeTrust.first(database, { hash: sha256(token), userId, now: clock.now() })) !== undefined;
}

export interface Trust {
  token: string;
  expiresAt: number;
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
 * Lets a browser keep a new token, beside those of the other users who trust it.
 *
 * @param tokens what the browser keeps so far
 */
export function trustCookie(
  sealer: Sealer,
  tokens: TrustTokens,
  { userId, token, expiresAt }: Trust & { userId: number },
): CookieChange {
  const others = [...tokens].filter(([other]) => other !== userId).slice(0, MAX_USERS - 1);
  const text = [[userId, token] as const, ...others].map((pair) => pair.join(':')).join(' ');
  return { cookie: 'trustedDevice', value: sealer.seal(PURPOSE, text), expiresAt };
}
