import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import type { ApplicationName } from '../settings/application-name.ts';
import { contextWords, newPasswordRefusal } from './password-rules.ts';
import { insertUser, userByKey } from './queries.ts';
import { type Role, toUser, type User } from './user.ts';
import { isAcceptableNewName, parseUsername, type Username } from './username.ts';

export interface NewUser {
  name: string;
  password: string;
  fullName?: string | undefined;
  role: Role;
  /** Undefined: the application that this service is. */
  apps?: string[] | undefined;
  image?: string | undefined;
  isInactive?: boolean | undefined;
}

const taken = ({ name }: Username) => new AppError('USERNAME_TAKEN', { field: 'username', username: name });

function requireNewName(name: string): Username {
  const username = parseUsername(name);
  if (username && isAcceptableNewName(username)) return username;
  throw new AppError('USERNAME_INVALID', { field: 'username', username: name });
}

/**
 * Checks the name of a new user before anything else is asked for.
 *
 * @throws AppError USERNAME_INVALID, USERNAME_TAKEN
 */
export async function requireFreeName(database: Handle, name: string): Promise<Username> {
  const username = requireNewName(name);
  if (await userByKey.first(database, { key: username.key })) throw taken(username);
  return username;
}

/**
 * Hashes a new password.
 *
 * @throws AppError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON (also for one of `words`)
 */
export async function hashNewPassword(
  passwords: PasswordHasher,
  password: string,
  words: readonly string[],
): Promise<string> {
  const refusal = newPasswordRefusal(password, words);
  if (refusal) throw refusal;
  return passwords.hash(password);
}

/** Writes a user whose password is hashed already. Gives undefined when the name is taken. */
export async function insertHashed(
  { database, appName, now }: { database: Handle; appName: string; now: number },
  user: Omit<NewUser, 'password'> & { hash: string },
): Promise<User | undefined> {
  const username = requireNewName(user.name);
  const row = await insertUser.first(database, {
    username: username.name,
    username_key: username.key,
    full_name: user.fullName ?? '',
    role: user.role,
    allowed_apps: JSON.stringify(user.apps ?? [appName]),
    image: user.image ?? '',
    password_hash: user.hash,
    created_at: now,
    deactivated_at: user.isInactive ? now : null,
  });
  return row && toUser(row);
}

/**
 * Adds a user.
 *
 * Needs   application: given to the user when no other is named; neither of its names may be the password.
 * @throws AppError USERNAME_INVALID, USERNAME_TAKEN, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON
 */
export async function addUser(
  {
    database,
    passwords,
    application,
    now,
  }: { database: Handle; passwords: PasswordHasher; application: ApplicationName; now: number },
  user: NewUser,
): Promise<User> {
  const username = requireNewName(user.name);
  const hash = await hashNewPassword(passwords, user.password, contextWords(username.name, application));
  const added = await insertHashed({ database, appName: application.APP_NAME, now }, { ...user, hash });
  if (!added) throw taken(username);
  return added;
}
