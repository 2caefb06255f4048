import type { Device } from '../accounts/accounts-cookie.ts';
import { renamedSessionCookies } from '../accounts/renamed-session.ts';
import { activeTokenIds } from '../api-tokens/queries.ts';
import { revokeAllTokens } from '../api-tokens/revoke-token.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import { CONFIRMATION_MS } from '../factors/confirmation.ts';
import type { CookieChange } from '../http/cookies.ts';
import type { Services } from '../http/route.ts';
import { newUuid } from '../lib/random.ts';
import { renewSession } from '../sessions/own-session-queries.ts';
import type { Session } from '../sessions/session.ts';
import { sessionCookie } from '../sessions/session-cookie.ts';
import { isPasswordOf, type PasswordGuess } from '../signin/check-password.ts';
import { hashNewPassword } from '../users/add-user.ts';
import type { UserWithHash } from '../users/find-user.ts';
import { contextWords, newPasswordRefusal, passwordLengthError } from '../users/password-rules.ts';
import { lockUserWithPassword, setPasswordHash } from '../users/queries.ts';
import { getOwnUser } from './own-user.ts';

type Needs = Pick<
  Services,
  'database' | 'passwords' | 'clock' | 'dataSealer' | 'sealer' | 'guessTurns' | 'settings'
> & { actor: Actor };

/** What a user sends to change their password. */
export interface PasswordChange {
  session: Session;
  /** Required if the user has a password. */
  currentPassword: string | undefined;
  newPassword: string;
  /** Whether the user's API tokens are revoked too. */
  endsTokens: boolean;
  client: Omit<PasswordGuess, 'password'>;
  /** The browser's list of accounts. */
  device: Device | undefined;
}

/**
 * Refuses a new password that may not be used, or a missing current password.
 *
 * @throws AppError MISSING_REQUIRED_FIELD; PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON
 */
export function requirePasswordInput(
  settings: Services['settings'],
  user: Pick<UserWithHash, 'username' | 'hasPassword'>,
  { currentPassword, newPassword }: { currentPassword: string | undefined; newPassword: string | undefined },
): void {
  if (!newPassword) throw new AppError('MISSING_REQUIRED_FIELD', { field: 'new_password' });
  if (user.hasPassword && !currentPassword) throw new AppError('MISSING_REQUIRED_FIELD', { field: 'current_password' });
  const refusal = newPasswordRefusal(newPassword, contextWords(user.username, settings));
  if (refusal) throw refusal;
}

async function requireCurrent(services: Needs, user: UserWithHash, change: PasswordChange): Promise<void> {
  const { currentPassword = '', newPassword, client } = change;
  const wrong = new AppError('CURRENT_PASSWORD_INCORRECT', { userId: user.id, field: 'current_password' });
  if (passwordLengthError(currentPassword)) throw wrong;
  if (!(await isPasswordOf(services, user, { password: currentPassword, ...client }))) throw wrong;
  if (currentPassword.normalize('NFC') === newPassword.normalize('NFC'))
    throw new AppError('PASSWORD_UNCHANGED', { field: 'new_password' });
}

/**
 * Changes the password of a session's user, or sets the first one. Subscribers of the event end the other sessions and
 * other access that depends on the old password. The session continues under a new id and is confirmed.
 *
 * @returns tokens: with `endsTokens`, the number of API tokens that were revoked, otherwise the number of those that
 * stay valid; cookies: those of the session under its new id
 * @throws AppError the errors of requirePasswordInput; CURRENT_PASSWORD_INCORRECT, PASSWORD_UNCHANGED; TOO_MANY_LOGINS
 * while the account must wait; NOT_SIGNED_IN if the session, the user or the password has changed meanwhile
 * @see OWASP ASVS 5.0 6.2.2, 6.2.3, 7.2.4, 7.4.3
 */
export async function changeOwnPassword(
  services: Needs,
  change: PasswordChange,
): Promise<{ tokens: number; cookies: CookieChange[] }> {
  const { database, passwords, clock, sealer, settings, actor } = services;
  const { session, newPassword, endsTokens, client, device } = change;
  const user = await getOwnUser(database, session);
  requirePasswordInput(settings, user, change);
  if (user.hasPassword) await requireCurrent(services, user, change);
  const { id: userId, passwordVersion: version } = user;
  const hash = await hashNewPassword(passwords, newPassword, contextWords(user.username, settings), client.asker);
  return database.transaction(async (tx) => {
    const now = clock.now();
    const [id, newId] = [session.id, newUuid()];
    if ((await lockUserWithPassword.run(tx, { id: userId, version })) === 0) throw new AppError('NOT_SIGNED_IN');
    if ((await renewSession.run(tx, { id, newId, until: now + CONFIRMATION_MS, now })) === 0)
      throw new AppError('NOT_SIGNED_IN');
    await setPasswordHash.run(tx, { id: userId, hash });
    await recordEvent(tx, {
      type: 'password.changed',
      actor,
      subject: subjectOf(user),
      details: { way: 'self' },
      endsAll: endsTokens,
    });
    const tokens = endsTokens
      ? await revokeAllTokens(tx, { now, actor }, user)
      : (await activeTokenIds.all(tx, { userId, now })).length;
    const listed = await renamedSessionCookies(tx, { sealer, now, device }, { id, newId });
    return { tokens, cookies: [sessionCookie(sealer, { ...session, id: newId }, now), ...listed] };
  });
}
