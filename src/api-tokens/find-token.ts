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
  /** The applications that the token lists. Null if it is valid for all applications of its user. */
  ownApps: string[] | null;
  /** The applications for which the token is valid now. */
  allowedApps: string[];
  userId: number;
  username: string;
  fullName: string;
  role: string;
  image: string;
}

/** A token, and the time at which its use was last recorded. */
export interface FoundToken {
  token: ActiveToken;
  usedAt: number | null;
}

declare module '../http/route.ts' {
  interface Services {
    /** The active tokens in memory, by the hash of the token. */
    tokenCache: LookupCache<FoundToken>;
    /** Counts how often other programs check tokens. */
    tokenChecks: CheckCounts;
  }
}

type Needs = Pick<Services, 'database' | 'clock' | 'background' | 'settings'> & { tokenCache: Lookup<FoundToken> };

/** Records the use of a token after the reply, at most once a minute. */
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

/** Details of one lookup. `findToken` sets `source` to `database` if the token is not in memory. */
interface TokenLookup {
  source: CheckSource;
}

/**
 * Finds an active token by its value, and records its use. An active token is not revoked, has not expired and belongs to
 * an active user.
 *
 * Tokens are looked up by their hash; the value itself is never stored. A token stays in the cache until it or its user changes.
 * The cache is used only while this process learns of every change: see `findSession`. For each check, `opensApp` decides
 * whether the token is valid for the application.
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

/** Finds a token for another program that checks it. Works like `findToken`, and counts the check. */
export function checkToken(
  services: Needs & Pick<Services, 'tokenChecks'>,
  text: string,
): Promise<ActiveToken | undefined> {
  const lookup: TokenLookup = { source: 'memory' };
  return countCheck(services.tokenChecks, lookup, () => findToken(services, text, lookup));
}
