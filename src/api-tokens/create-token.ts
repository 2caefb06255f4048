import { AppError } from '../errors/app-error.ts';
import type { Actor } from '../events/actor.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS } from '../lib/clock.ts';
import { cleanText } from '../lib/plain-text.ts';
import { requireActiveSession } from '../sessions/find-session.ts';
import type { Session } from '../sessions/session.ts';
import { type IssuedToken, issueToken, lockOwner, requireRoom } from './issue-token.ts';
import type { TokenRequest } from './schemas.ts';
import { DEFAULT_LIFE_DAYS, MAX_ADMIN_LIFE_DAYS } from './token.ts';
import { eachAppOnce, tokenApps } from './token-apps.ts';

/**
 * Returns for how many days a new token is valid.
 *
 * @throws AppError EXPIRES_DAYS_INVALID if the requested time is too long for scope admin; ALLOWED_APPS_INVALID if a token
 *   of scope admin lists applications, because such a token is for this service and not for applications
 */
export function lifeDaysOf({ scope, expiresDays, allowed_apps }: TokenRequest): number {
  if (scope !== 'admin') return expiresDays ?? DEFAULT_LIFE_DAYS;
  if (allowed_apps !== undefined) throw new AppError('ALLOWED_APPS_INVALID', { field: 'allowed_apps' });
  const days = expiresDays ?? MAX_ADMIN_LIFE_DAYS;
  if (days <= MAX_ADMIN_LIFE_DAYS) return days;
  throw new AppError('EXPIRES_DAYS_INVALID', { field: 'expiresDays', maximum: MAX_ADMIN_LIFE_DAYS });
}

/**
 * Creates a token for a user.
 *
 * @throws AppError TOKEN_NAME_INVALID if the name has no visible character; TOKEN_APPS_NOT_ALLOWED; TOKEN_LIMIT_REACHED;
 *   EXPIRES_DAYS_INVALID; ALLOWED_APPS_INVALID if a token of scope admin lists applications; SUPERADMIN_REQUIRED for a token
 *   of scope admin; NOT_SIGNED_IN if the user was removed or the session ended in the meantime
 */
export function createToken(
  { database, clock, settings, actor }: Pick<Services, 'database' | 'clock' | 'settings'> & { actor: Actor },
  session: Pick<Session, 'id' | 'userId'>,
  request: TokenRequest,
): Promise<IssuedToken> {
  const { userId } = session;
  const { name, scope = 'read-only', allowed_apps } = request;
  const lifeMs = lifeDaysOf(request) * DAY_MS;
  const label = cleanText(name);
  if (label === '') throw new AppError('TOKEN_NAME_INVALID', { field: 'name' });
  const apps = allowed_apps === undefined ? null : eachAppOnce(allowed_apps);
  const now = clock.now();
  return database.transaction(async (tx) => {
    const owner = await lockOwner(tx, userId);
    await requireActiveSession(tx, session, now);
    if (scope === 'admin' && owner.role !== 'superadmin') throw new AppError('SUPERADMIN_REQUIRED');
    if (apps && tokenApps(apps, owner).length < apps.length)
      throw new AppError('TOKEN_APPS_NOT_ALLOWED', { field: 'allowed_apps' });
    await requireRoom(tx, owner, { now, maximum: settings.MAX_TOKENS_PER_USER });
    const wish = { name: label, scope, expiresAt: now + lifeMs, apps };
    return issueToken(tx, owner, wish, { now, actor, way: 'self' });
  });
}
