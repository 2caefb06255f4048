import type { Services } from '../http/route.ts';
import { MINUTE_MS } from '../kit/clock.ts';
import { parseList, parseRole, type Role } from '../users/user.ts';
import { liveToken, markTokenUsed } from './queries.ts';
import { hashToken, isToken, parseScope, type TokenScope } from './token.ts';
import { opensApp, tokenApps } from './token-apps.ts';

/** A token that counts at this moment, with what its user is now. */
export interface LiveToken {
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

/** Notes the use, to the minute, when the reply is out of the way. */
function noteUse(
  { database, background }: Needs,
  token: { id: number; last_used_at: number | null },
  now: number,
): void {
  const before = now - MINUTE_MS;
  if (token.last_used_at !== null && token.last_used_at > before) return;
  background.run(`token ${token.id} used`, () => markTokenUsed.run(database, { id: token.id, now, before }));
}

/**
 * The token that a text is, where it counts at this moment: not revoked, not expired, its user active. Its use is
 * noted.
 *
 * Why     asked of the database each time by the index over its hash, so that a revocation counts at once.
 */
export async function findToken(services: Needs, text: string): Promise<LiveToken | undefined> {
  if (!isToken(text)) return undefined;
  const now = services.clock.now();
  const row = await liveToken.first(services.database, { hash: hashToken(text), now });
  if (!row) return undefined;
  noteUse(services, row, now);
  const owner = { role: parseRole(row.role), allowedApps: parseList(row.user_apps) };
  const own = row.token_apps === null ? null : parseList(row.token_apps);
  return {
    tokenId: row.id,
    scope: parseScope(row.scope),
    expiresAt: row.expires_at,
    allowedApps: tokenApps(own, owner),
    opensThisApp: opensApp(own, owner, services.settings.APP_NAME),
    userId: row.user_id,
    username: row.username,
    fullName: row.full_name,
    role: owner.role,
    image: row.image,
  };
}
