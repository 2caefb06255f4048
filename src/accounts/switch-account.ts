import { AppError } from '../errors/app-error.ts';
import { type Actor, asUser } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { isUuid, newUuid } from '../lib/random.ts';
import { readSession } from '../sessions/find-session.ts';
import { endConfirmation } from '../sessions/own-session-queries.ts';
import { renameSessionInList, renameSessionOfBrowser } from '../sessions/queries.ts';
import type { Session } from '../sessions/session.ts';
import { sessionCookie } from '../sessions/session-cookie.ts';
import { mayUseApp } from '../users/user.ts';
import type { Device } from './accounts-cookie.ts';
import { renamedSessionCookies } from './renamed-session.ts';

/** Returns the requested session id. Throws if it is malformed, or if this browser does not remember the session. */
function requireRemembered(sessionId: unknown, device: Device | undefined, session: Session | undefined): string {
  if (typeof sessionId !== 'string' || !isUuid(sessionId))
    throw new AppError('SWITCH_TARGET_INVALID', { field: 'session_id' });
  const id = sessionId.toLowerCase();
  const isRemembered = device?.sessionIds.includes(id) || session?.id === id;
  if (!isRemembered) throw new AppError('ACCOUNT_NOT_ON_DEVICE');
  return id;
}

interface Target {
  /** Id from the request, not validated yet. */
  sessionId: unknown;
  device: Device | undefined;
  /** The current session of the browser, which is also a valid target. */
  current: Session | undefined;
}

/**
 * Makes another account of this browser the current one and gives its session a new id.
 *
 * Sibling hosts share the session cookie and can plant or copy it. So the current session gets a new id only if this
 * browser started it; a session that another browser started keeps its id.
 *
 * @returns session: ends at the same time as before; if it got a new id, its old id is no longer valid
 * @throws AppError SWITCH_TARGET_INVALID, ACCOUNT_NOT_ON_DEVICE; SESSION_EXPIRED if the session has ended, if its user is
 *   inactive or may not use this service, if the session is no longer in the browser's list, or if a concurrent switch has
 *   already changed its id
 * @see OWASP ASVS 5.0 7.2.4
 */
export async function switchAccount(
  services: Pick<Services, 'database' | 'settings' | 'clock' | 'sealer'> & { actor: Actor },
  { sessionId, device, current }: Target,
): Promise<{ session: Session; cookies: CookieChange[] }> {
  const { database, settings, clock, sealer, actor } = services;
  const id = requireRemembered(sessionId, device, current);
  const isCurrent = current?.id === id;
  const now = clock.now();
  return database.transaction(async (tx) => {
    const session = await readSession(tx, id, now);
    if (!session || !mayUseApp(session, settings.APP_NAME)) throw new AppError('SESSION_EXPIRED');
    const newId = newUuid();
    const renamed =
      device && !isCurrent
        ? await renameSessionInList.run(tx, { ...device, id, newId, now })
        : await renameSessionOfBrowser.run(tx, { browser: device?.browser ?? '', id, newId, now });
    if (renamed === 0 && isCurrent && (await endConfirmation.run(tx, { id })) > 0) return { session, cookies: [] };
    if (renamed === 0) throw new AppError('SESSION_EXPIRED');
    const switched = { ...session, id: newId };
    const subject = { id: session.userId, name: session.username };
    const as = asUser(actor, subject, session.ref);
    await recordEvent(tx, { type: 'session.switched', actor: as, subject, details: {} });
    const ofList = await renamedSessionCookies(tx, { sealer, now, device }, { id, newId });
    return { session: switched, cookies: [sessionCookie(sealer, switched, now), ...ofList] };
  });
}
