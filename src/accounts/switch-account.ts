import { AppError } from '../errors/app-error.ts';
import { type Actor, asUser } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { isUuid, newUuid } from '../lib/random.ts';
import { readSession } from '../sessions/find-session.ts';
import { activeSessionsOfList, renameSession, renameSessionInList } from '../sessions/queries.ts';
import type { Session } from '../sessions/session.ts';
import { sessionCookie } from '../sessions/session-cookie.ts';
import { accountsCookie, type Device } from './accounts-cookie.ts';

/** The session that a browser names, if it is one that it remembers. Throws for an id of no shape, or of elsewhere. */
function requireRemembered(sessionId: unknown, device: Device | undefined, session: Session | undefined): string {
  if (typeof sessionId !== 'string' || !isUuid(sessionId)) throw new AppError('SWITCH_TARGET_INVALID');
  const id = sessionId.toLowerCase();
  const isRemembered = device?.sessionIds.includes(id) || session?.id === id;
  if (!isRemembered) throw new AppError('ACCOUNT_NOT_ON_DEVICE');
  return id;
}

/**
 * Makes another account of this browser the current one, under a new session id.
 *
 * @param target sessionId: untrusted; current: the session that the browser uses, to which it may switch as well
 * @returns session: under its new id, with the same end; the old id is dead
 * @throws AppError SWITCH_TARGET_INVALID, ACCOUNT_NOT_ON_DEVICE; SESSION_EXPIRED if the session has ended or another
 *   switch was faster
 * @see OWASP ASVS 5.0 7.2.4
 */
export async function switchAccount(
  services: Pick<Services, 'database' | 'settings' | 'clock' | 'sealer'> & { actor: Actor },
  { sessionId, device, current }: { sessionId: unknown; device: Device | undefined; current: Session | undefined },
): Promise<{ session: Session; cookies: CookieChange[] }> {
  const { database, settings, clock, sealer, actor } = services;
  const id = requireRemembered(sessionId, device, current);
  const now = clock.now();
  return database.transaction(async (tx) => {
    const session = await readSession(tx, { id, appName: settings.APP_NAME, now });
    if (!session) throw new AppError('SESSION_EXPIRED');
    const newId = newUuid();
    const renamed =
      device && current?.id !== id
        ? await renameSessionInList.run(tx, { ...device, id, newId, now })
        : await renameSession.run(tx, { id, newId, now });
    if (renamed === 0) throw new AppError('SESSION_EXPIRED');
    const subject = { id: session.userId, name: session.username };
    const as = asUser(actor, subject, newId);
    await recordEvent(tx, { type: 'session.switched', actor: as, subject, details: {} });
    const switched = { ...session, id: newId };
    const cookies = [sessionCookie(sealer, switched, now)];
    if (!device) return { session: switched, cookies };
    const rows = await activeSessionsOfList.all(tx, { ...device, now });
    const rememberedUntil = Math.max(session.expiresAt, ...rows.map((row) => row.expires_at));
    const sessionIds = device.sessionIds.map((known) => (known === id ? newId : known));
    return {
      session: switched,
      cookies: [...cookies, accountsCookie(sealer, { ...device, sessionIds }, rememberedUntil)],
    };
  });
}
