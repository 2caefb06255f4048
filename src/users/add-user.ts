import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Email } from '../lib/email-address.ts';
import type { Asker } from '../lib/fair-queue.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import { newUuid } from '../lib/random.ts';
import type { ApplicationName } from '../settings/application-name.ts';
import { contextWords, newPasswordRefusal } from './password-rules.ts';
import { insertUser, userByKey } from './queries.ts';
import { toUser, type User } from './user.ts';
import { isAcceptableNewName, parseUsername, type Username } from './username.ts';

export interface NewUser {
  name: string;
  password: string;
  fullName?: string | undefined;
  role: string;
  /** Undefined: the application that this service is. */
  apps?: string[] | undefined;
  image?: string | undefined;
  /** Confirmed. */
  email?: Email | null | undefined;
  isInactive?: boolean | undefined;
  /** Undefined: now. */
  createdAt?: number | undefined;
  lastLoginAt?: number | null | undefined;
}

const taken = ({ name }: Username) => new AppError('USERNAME_TAKEN', { field: 'username', username: name });

/**
 * Reads the name of a new user.
 *
 * @throws AppError USERNAME_INVALID
 */
export function requireNewName(name: string): Username {
  const username = parseUsername(name);
  if (username && isAcceptableNewName(username)) return username;
  throw new AppError('USERNAME_INVALID', { field: 'username', username: name });
}

/**
 * Checks the name of a new user before the command asks for anything else.
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
 * @param asker the client that waits for it; none: the process itself
 * @throws AppError PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON (also for one of `words`)
 */
export async function hashNewPassword(
  passwords: PasswordHasher,
  password: string,
  words: readonly string[],
  asker?: Asker,
): Promise<string> {
  const refusal = newPasswordRefusal(password, words);
  if (refusal) throw refusal;
  return passwords.hash(password, asker);
}

/**
 * Adds a user with a hashed password.
 *
 * @param tx open transaction
 * @returns undefined if the name is taken
 */
export async function insertHashed(
  tx: Transaction,
  { appName, now, actor }: { appName: string; now: number; actor: Actor },
  user: Omit<NewUser, 'password'> & { hash: string },
): Promise<User | undefined> {
  const username = requireNewName(user.name);
  const row = await insertUser.first(tx, {
    sub: newUuid(),
    username: username.name,
    username_key: username.key,
    full_name: user.fullName ?? '',
    role: user.role,
    allowed_apps: JSON.stringify(user.apps ?? [appName]),
    image: user.image ?? '',
    email: user.email?.address ?? null,
    email_key: user.email?.key ?? null,
    password_hash: user.hash,
    created_at: user.createdAt ?? now,
    deactivated_at: user.isInactive ? now : null,
    last_login_at: user.lastLoginAt ?? null,
    updated_at: now,
  });
  if (!row) return undefined;
  const added = toUser(row);
  const { role, allowedApps, deactivatedAt } = added;
  const details = { role, allowed_apps: allowedApps, is_active: deactivatedAt === null };
  await recordEvent(tx, { type: 'user.created', actor, subject: subjectOf(added), details });
  return added;
}

/**
 * Adds a user.
 *
 * `application` is the default of the user's applications; neither of its names may be the password.
 * @throws AppError USERNAME_INVALID, USERNAME_TAKEN, PASSWORD_TOO_SHORT, PASSWORD_TOO_LONG, PASSWORD_TOO_COMMON
 */
export async function addUser(
  {
    database,
    passwords,
    application,
    now,
    actor,
  }: Change & { passwords: PasswordHasher; application: ApplicationName },
  user: NewUser,
): Promise<User> {
  const username = requireNewName(user.name);
  const hash = await hashNewPassword(passwords, user.password, contextWords(username.name, application));
  const circumstances = { appName: application.APP_NAME, now, actor };
  const added = await database.transaction((tx) => insertHashed(tx, circumstances, { ...user, hash }));
  if (!added) throw taken(username);
  return added;
}
