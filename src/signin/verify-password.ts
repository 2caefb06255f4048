import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import type { Services } from '../http/route.ts';
import { type Asker, QueueFull } from '../lib/fair-queue.ts';
import { findUser, type UserWithHash } from '../users/find-user.ts';
import { passwordLengthError } from '../users/password-rules.ts';
import { replacePasswordHash } from '../users/queries.ts';
import { mayUseApp } from '../users/user.ts';
import { parseUsername } from '../users/username.ts';
import { checkPassword, type PasswordGuess } from './check-password.ts';
import type { ProvenPassword } from './open-session.ts';
import { returnGuess } from './password-guesses.ts';

export interface Credentials {
  username: string;
  password: string;
}

/** A user who has entered the right password. */
export interface VerifiedPassword {
  user: UserWithHash;
  password: ProvenPassword;
}

type Needs = Pick<Services, 'database' | 'passwords' | 'settings' | 'clock' | 'dataSealer' | 'guessTurns'>;

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';
const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/**
 * Checks the form of credentials before the database is read. A missing field is reported before a malformed one,
 * whatever their order in the schema.
 *
 * @returns the error with its field, or undefined if the credentials are well-formed
 */
export function credentialsError(body: unknown): AppError | undefined {
  const username: unknown = Reflect.get(Object(body), 'username');
  const password: unknown = Reflect.get(Object(body), 'password');
  const refuse = (name: ErrorName, field: string) => new AppError(name, { field });
  if (isMissing(username) || isBlank(username)) return refuse('CREDENTIALS_REQUIRED', 'username');
  if (isMissing(password)) return refuse('CREDENTIALS_REQUIRED', 'password');
  if (typeof username !== 'string' || !parseUsername(username)) return refuse('USERNAME_INVALID', 'username');
  const error = typeof password === 'string' ? passwordLengthError(password) : 'PASSWORD_TOO_SHORT';
  return error && refuse(error, 'password');
}

/**
 * Replaces a password hash that has weaker parameters than the current ones. If several sign-ins do so at once, only
 * the first replaces it. If the user's password has changed since its hash was read, nothing is replaced.
 */
async function renewHash(
  { database, passwords }: Pick<Needs, 'database' | 'passwords'>,
  user: UserWithHash,
  { password, asker }: { password: string; asker: Asker },
): Promise<void> {
  if (!passwords.needsRehash(user.passwordHash)) return;
  try {
    const hash = await passwords.hash(password, asker);
    await replacePasswordHash.run(database, { id: user.id, old: user.passwordHash, hash });
  } catch (error) {
    // The password is right, so the sign-in must not fail. If the queue is full, a later sign-in renews the hash.
    if (!(error instanceof QueueFull)) throw error;
  }
}

/**
 * Finds the user with this name and password. The guess stays counted until the transaction of the sign-in returns it.
 *
 * An unknown name costs one hash and counts one guess, as a known one does, so that response times reveal nothing. With
 * LOGIN_UNKNOWN_USER_STATUS=401, the error reveals nothing either.
 *
 * @param credentials well-formed, see credentialsError
 * @throws AppError USER_UNKNOWN or PASSWORD_INCORRECT (LOGIN_UNKNOWN_USER_STATUS decides which one for an unknown
 *   name); TOO_MANY_LOGINS after too many wrong passwords for this name; ACCOUNT_INACTIVE and APP_NOT_ALLOWED only if
 *   the password is right
 * @throws QueueFull if too many passwords wait to be hashed
 * @throws AskerGone if the client disconnects before the check ends
 * @throws Error if the stored hash cannot be read, which is a fault and not a wrong password
 * @see docs/interface.md Signing in; ASVS 5.0 6.2.8, 6.3.8
 */
export async function verifyPassword(
  services: Needs,
  { username, password }: Credentials,
  { asker, browser }: Omit<PasswordGuess, 'password'>,
): Promise<VerifiedPassword> {
  const { database, settings } = services;
  const user = await findUser(database, username);
  const guess = await checkPassword(services, user ?? { username }, { password, asker, browser });
  if (!user) throw new AppError(settings.LOGIN_UNKNOWN_USER_STATUS === '401' ? 'PASSWORD_INCORRECT' : 'USER_UNKNOWN');
  // Only the audit log records that the account has no password. The caller gets the same error as for a wrong one.
  const reason = user.hasPassword ? {} : { reason: 'no_password' };
  if (!guess) throw new AppError('PASSWORD_INCORRECT', { userId: user.id, ...reason });
  try {
    if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
    if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId: user.id });
    await renewHash(services, user, { password, asker });
  } catch (error) {
    await returnGuess(services, guess);
    throw error;
  }
  return { user, password: { version: user.passwordVersion, guess } };
}
