import type { Lookup, LookupCache } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { CLOCK_TOLERANCE_MS, MINUTE_MS } from '../lib/clock.ts';
import { type CheckCounts, type CheckSource, countCheck } from '../lib/counts.ts';
import { parseList } from '../users/user.ts';
import { activeToken, markTokenUsed } from './queries.ts';
import { hashToken, isToken, parseScope, type TokenScope } from './token.ts';
import { tokenApps } from './token-apps.ts';

/** A valid token, with the current state of its user. */
export interface ActiveToken {
  tokenId: number;
  scope: TokenScope;
  expiresAt: number | null;
  /** The applications of the token; null: all of its user. */
  ownApps: string[] | null;
  /** Where the token may be used now. */
  allowedApps: string[];
  userId: number;
  username: string;
  fullName: string;
  role: string;
  image: string;
}

/** A token, and when its use was last recorded. */
export interface FoundToken {
  token: ActiveToken;
  usedAt: number | null;
}

declare module '../http/route.ts' {
  interface Services {
    /** The active tokens in memory, by the hash of the token. */
    tokenCache: LookupCache<FoundToken>;
    /** Counts the tokens about which other programs ask. */
    tokenChecks: CheckCounts;
  }
}

type Needs = Pick<Services, 'database' | 'clock' | 'background' | 'settings'> & { tokenCache: Lookup<FoundToken> };

/** Records the use of a token, to the minute, after the reply. */
function noteUse({ database, background }: Needs, found: FoundToken, now: number): void {
  const before = now - MINUTE_MS;
  const latest = now + CLOCK_TOLERANCE_MS;
  if (found.usedAt !== null && found.usedAt > before && found.usedAt <= latest) return;
  found.usedAt = now;
  const id = found.token.tokenId;
  background.run(`token ${id} used`, () => markTokenUsed.run(database, { id, now, before, latest }));
}

async function readToken(
  { database }: Pick<Needs, 'database'>,
  hash: string,
  now: number,
): Promise<FoundToken | undefined> {
  const row = await activeToken.first(database, { hash, now });
  if (!row) return undefined;
  const owner = { role: row.role, allowedApps: parseList(row.user_apps) };
  const own = row.token_apps === null ? null : parseList(row.token_apps);
  const token = {
    tokenId: row.id,
    scope: parseScope(row.scope),
    expiresAt: row.expires_at,
    ownApps: own,
    allowedApps: tokenApps(own, owner),
    userId: row.user_id,
    username: row.username,
    fullName: row.full_name,
    role: owner.role,
    image: row.image,
  };
  return { token, usedAt: row.last_used_at };
}

/** A question about a token. `source` becomes `database` if memory does not hold the token. */
interface TokenLookup {
  source: CheckSource;
}

/**
 * Finds an active token by its text: not revoked, not expired, and with an active user. Records its use.
 *
 * Tokens are looked up by their hash and never stored. A token stays in the cache until it or its user changes, and is
 * used while every change is known: see `findSession`. `opensApp` decides for each check which application it is valid
 * for.
 */
export async function findToken(
  services: Needs,
  text: string,
  lookup: TokenLookup = { source: 'memory' },
): Promise<ActiveToken | undefined> {
  if (!isToken(text, services.settings.LEGACY_TOKEN_PREFIXES)) return undefined;
  const now = services.clock.now();
  const hash = hashToken(text);
  const read = async () => {
    const value = await readToken(services, hash, now);
    return value && { value, rows: [`api_tokens ${value.token.tokenId}`, `users ${value.token.userId}`] };
  };
  const found = await services.tokenCache.find(hash, read, () => {
    lookup.source = 'database';
  });
  if (!found || (found.token.expiresAt ?? Number.POSITIVE_INFINITY) <= now) return undefined;
  noteUse(services, found, now);
  return found.token;
}

/** Finds a token about which another program asks, as `findToken` does, and counts the check. */
export function checkToken(
  services: Needs & Pick<Services, 'tokenChecks'>,
  text: string,
): Promise<ActiveToken | undefined> {
  const lookup: TokenLookup = { source: 'memory' };
  return countCheck(services.tokenChecks, lookup, () => findToken(services, text, lookup));
}
