import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import type { Services } from '../http/route.ts';
import { type Asker, AskerGone, QueueFull } from '../lib/fair-queue.ts';
import { findUser, type UserWithHash } from '../users/find-user.ts';
import { passwordLengthError } from '../users/password-rules.ts';
import { replacePasswordHash } from '../users/queries.ts';
import { mayUseApp } from '../users/user.ts';
import { parseUsername } from '../users/username.ts';

export interface Credentials {
  username: string;
  password: string;
}

type Needs = Pick<Services, 'database' | 'passwords' | 'settings'>;

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';
const isBlank = (value: unknown): boolean => typeof value === 'string' && value.trim() === '';

/**
 * Judges a body that should hold credentials, before anything is looked up. A missing field comes before a malformed
 * one, whatever their order in the schema.
 *
 * @returns the error with its field, or undefined if the body can hold credentials
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
 * Replaces a hash with weaker parameters. Of several sign-ins at once one does, and a password that was changed meanwhile
 * stays as it is.
 */
async function renewHash(
  { database, passwords }: Needs,
  user: UserWithHash,
  { password, asker }: { password: string; asker: Asker },
): Promise<void> {
  if (!passwords.needsRehash(user.passwordHash)) return;
  try {
    const hash = await passwords.hash(password, asker);
    await replacePasswordHash.run(database, { id: user.id, old: user.passwordHash, hash });
  } catch (error) {
    // The password is right: where the queue is full, its hash is renewed by a later sign-in.
    if (!(error instanceof QueueFull)) throw error;
  }
}

/**
 * Finds the user with this name and password.
 *
 * An unknown name costs one hash like a known one, so that the time reveals nothing.
 *
 * @param credentials of the right form, see credentialsError
 * @param asker the client that waits for the answer
 * @throws AppError USER_UNKNOWN or PASSWORD_INCORRECT (a setting decides which of them for an unknown name);
 *   ACCOUNT_INACTIVE and APP_NOT_ALLOWED only if the password is right
 * @throws QueueFull if too many passwords wait to be hashed
 * @throws AskerGone if the client leaves meanwhile
 * @throws Error if the stored hash cannot be read, which is a fault and not a wrong password
 * @see docs/interface.md Signing in; ASVS 5.0 6.2.8, 6.3.8
 */
export async function verifyPassword(services: Needs, credentials: Credentials, asker: Asker): Promise<UserWithHash> {
  const { database, passwords, settings } = services;
  const user = await findUser(database, credentials.username);
  if (!user?.hasPassword) {
    await passwords.verifyNothing(credentials.password, asker);
    const isHidden = user !== undefined || settings.LOGIN_UNKNOWN_USER_STATUS === '401';
    throw new AppError(isHidden ? 'PASSWORD_INCORRECT' : 'USER_UNKNOWN', user && { userId: user.id });
  }
  const isRight = await passwords.verify(user.passwordHash, credentials.password, asker).catch((error: unknown) => {
    if (error instanceof QueueFull || error instanceof AskerGone) throw error;
    throw new Error(`the password of user ${user.id} could not be compared with its hash`, { cause: error });
  });
  if (!isRight) throw new AppError('PASSWORD_INCORRECT', { userId: user.id });
  if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId: user.id });
  await renewHash(services, user, { password: credentials.password, asker });
  return user;
}
