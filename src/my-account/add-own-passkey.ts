import { AppError } from '../errors/app-error.ts';
import type { Actor } from '../events/actor.ts';
import { addPasskey, verifyNewPasskey } from '../factors/add-passkey.ts';
import type { AnsweringBrowser } from '../factors/passkey-challenge.ts';
import type { PasskeyJson } from '../factors/passkey-schemas.ts';
import type { Services } from '../http/route.ts';
import { requireLockedSession } from '../sessions/find-session.ts';
import type { Session } from '../sessions/session.ts';
import { lockActiveUser } from '../users/queries.ts';

interface Addition {
  session: Pick<Session, 'id' | 'userId' | 'username'>;
  /** A name from `parsePasskeyName`. If undefined, the passkey is named after the model of its authenticator. */
  name: string | undefined;
  /** Untrusted JSON. */
  response: unknown;
  from: AnsweringBrowser;
  actor: Actor;
}

/**
 * Adds a passkey for the user of a session. It does not confirm the current session.
 *
 * @throws AppError PASSKEY_INVALID, PASSKEY_TAKEN, LIMIT_REACHED; NOT_FOUND while passkeys are off; NOT_SIGNED_IN if the
 * session or the user has ended meanwhile
 */
export async function addOwnPasskey(
  services: Pick<Services, 'database' | 'clock' | 'settings' | 'baseUrl'>,
  { session, name, response, from, actor }: Addition,
): Promise<PasskeyJson> {
  const { database, clock } = services;
  const passkey = await verifyNewPasskey(services, { response, purpose: 'registration', from });
  const user = { id: session.userId, username: session.username };
  return database.transaction(async (tx) => {
    const now = clock.now();
    if (!(await lockActiveUser.first(tx, { id: user.id }))) throw new AppError('NOT_SIGNED_IN');
    await requireLockedSession(tx, session, now);
    return addPasskey(tx, { actor, now }, { user, passkey, name });
  });
}
