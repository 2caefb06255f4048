import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
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

/** Whether a body has passed the schema of a sign-in. */
export function isCredentials(body: unknown): body is Credentials {
  const has = (field: string) => typeof Reflect.get(Object(body), field) === 'string';
  return has('username') && has('password');
}

/** Refuses what can be no name or no password, before anything is looked up. */
export function checkForm({ username, password }: Credentials): void {
  if (username.trim() === '') throw new AppError('CREDENTIALS_REQUIRED');
  if (!parseUsername(username)) throw new AppError('USERNAME_INVALID');
  const length = passwordLengthError(password);
  if (length) throw new AppError(length);
}

/** Takes over stronger parameters of the hash; a password that was changed meanwhile stays as it is. */
async function renewHash({ database, passwords }: Needs, user: UserWithHash, password: string): Promise<string> {
  if (!passwords.needsRehash(user.passwordHash)) return user.passwordHash;
  const hash = await passwords.hash(password);
  const changed = await replacePasswordHash.run(database, { id: user.id, old: user.passwordHash, hash });
  return changed > 0 ? hash : user.passwordHash;
}

/**
 * The user whose name and password these are.
 *
 * Needs   credentials: of the right form, see checkForm.
 * Throws  AppError USER_UNKNOWN or PASSWORD_INCORRECT (which of them for an unknown name is a setting);
 *         ACCOUNT_INACTIVE and APP_NOT_ALLOWED only when the password was right.
 * Why     an unknown name costs one hash like a known one, so that the time tells nothing.
 * Source  docs/interface.md Signing in; ASVS 5.0 6.2.8, 6.3.8
 */
export async function verifyPassword(services: Needs, credentials: Credentials): Promise<UserWithHash> {
  const { database, passwords, settings } = services;
  const user = await findUser(database, credentials.username);
  if (!user) {
    await passwords.verifyNothing(credentials.password);
    throw new AppError(settings.LOGIN_UNKNOWN_USER_STATUS === '401' ? 'PASSWORD_INCORRECT' : 'USER_UNKNOWN');
  }
  const isRight = await passwords.verify(user.passwordHash, credentials.password);
  if (!isRight) throw new AppError('PASSWORD_INCORRECT', { userId: user.id });
  if (user.deactivatedAt !== null) throw new AppError('ACCOUNT_INACTIVE', { userId: user.id });
  if (!mayUseApp(user, settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED', { userId: user.id });
  return { ...user, passwordHash: await renewHash(services, user, credentials.password) };
}
