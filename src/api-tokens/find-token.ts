import { lookupCaches } from '../db/lookup-cache.ts';
import type { Services } from '../http/route.ts';
import { MINUTE_MS } from '../lib/clock.ts';
import { parseList, parseRole, type Role } from '../users/user.ts';
import { activeToken, markTokenUsed } from './queries.ts';
import { hashToken, isToken, parseScope, type TokenScope } from './token.ts';
import { opensApp, tokenApps } from './token-apps.ts';

/** A token that counts at this moment, with what its user is now. */
export interface ActiveToken {
  tokenId: number;
  scope: TokenScope;
  expiresAt: number | null;
  /** Where the token may be used now. */
  allowedApps: string[];
  /** Whether the token may be used at this service itself. */
  opensThisApp: boolean;
  userId: number;
  username: string;
  fullName: string;
  role: Role;
  image: string;
}

type Needs = Pick<Services, 'database' | 'clock' | 'background' | 'settings'>;

/** A token, and when its use was noted last. */
interface Found {
  token: ActiveToken;
  usedAt: number | null;
}

const tokenCache = lookupCaches<Found>();

/** Notes the use, to the minute, when the reply is out of the way. */
function noteUse({ database, background }: Needs, found: Found, now: number): void {
  const before = now - MINUTE_MS;
  if (found.usedAt !== null && found.usedAt > before) return;
  found.usedAt = now;
  const id = found.token.tokenId;
  background.run(`token ${id} used`, () => markTokenUsed.run(database, { id, now, before }));
}

async function readToken({ database, settings }: Needs, hash: string, now: number): Promise<Found | undefined> {
  const row = await activeToken.first(database, { hash, now });
  if (!row) return undefined;
  const owner = { role: parseRole(row.role), allowedApps: parseList(row.user_apps) };
  const own = row.token_apps === null ? null : parseList(row.token_apps);
  const token = {
    tokenId: row.id,
    scope: parseScope(row.scope),
    expiresAt: row.expires_at,
    allowedApps: tokenApps(own, owner),
    opensThisApp: opensApp(own, owner, settings.APP_NAME),
    userId: row.user_id,
    username: row.username,
    fullName: row.full_name,
    role: owner.role,
    image: row.image,
  };
  return { token, usedAt: row.last_used_at };
}

/** The same out of memory where it may be: see `findSession`. */
async function lookUp(services: Needs, hash: string, now: number): Promise<Found | undefined> {
  const { changes } = services.database;
  if (!changes) return readToken(services, hash, now);
  const cache = tokenCache(changes);
  const known = await cache.get(hash);
  if (known) return (known.token.expiresAt ?? Number.POSITIVE_INFINITY) > now ? known : undefined;
  const begun = cache.begin();
  const found = await readToken(services, hash, now);
  if (found) {
    const { tokenId, userId } = found.token;
    cache.keep(begun, hash, { value: found, rows: [`api_tokens ${tokenId}`, `users ${userId}`] });
  }
  return found;
}

/**
 * The token that a text is, where it counts at this moment: not revoked, not expired, its user active. Its use is
 * noted.
 *
 * Why     looked up by its hash, never kept as it is. What is kept in memory counts only while every change is known,
 *         so that a revocation counts at once.
 */
export async function findToken(services: Needs, text: string): Promise<ActiveToken | undefined> {
  if (!isToken(text)) return undefined;
  const now = services.clock.now();
  const found = await lookUp(services, hashToken(text), now);
  if (!found) return undefined;
  noteUse(services, found, now);
  return found.token;
}
