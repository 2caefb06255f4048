import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { type Actor, subjectOf } from '../events/actor.ts';
import type { Change } from '../events/change.ts';
import { recordEvents } from '../events/record-event.ts';
import type { Email } from '../lib/email-address.ts';
import type { Asker } from '../lib/fair-queue.ts';
import type { PasswordHasher } from '../lib/password-hash.ts';
import { newUuid } from '../lib/random.ts';
import type { ApplicationName } from '../settings/application-name.ts';
import { contextWords, newPasswordRefusal } from './password-rules.ts';
import { insertUsers, userByKey } from './queries.ts';
import { toUser, type User } from './user.ts';
import { isAcceptableNewName, parseUsername, type Username } from './username.ts';

export interface NewUser {
  name: string;
  password: string;
  fullName?: string | undefined;
  role: string;
  /** Undefined means the list with only this service's APP_NAME. */
  apps?: string[] | undefined;
  image?: string | undefined;
  /** An address that is already confirmed. */
  email?: Email | null | undefined;
  isInactive?: boolean | undefined;
  /** Undefined means the current time. */
  createdAt?: number | undefined;
  lastLoginAt?: number | null | undefined;
}

const taken = ({ name }: Username) => new AppError('USERNAME_TAKEN', { field: 'username', username: name });

/**
 * Parses the name of a new user.
 *
 * @throws AppError USERNAME_INVALID
 */
export function requireNewName(name: string): Username {
  const username = parseUsername(name);
  if (username && isAcceptableNewName(username)) return username;
  throw new AppError('USERNAME_INVALID', { field: 'username', username: name });
}

/**
 * Checks the name of a new user before the command asks for a password.
 *
 * @throws AppError USERNAME_INVALID, USERNAME_TAKEN
 */
export async function requireFreeName(database: Handle, name: string): Promise<Username> {
  const username = requireNewName(name);
  if (await userByKey.first(database, { key: username.key })) throw taken(username);
  return username;
}

/**
 * Checks and hashes a new password.
 *
 * @param asker the client that waits for the hash; undefined if the process itself needs it
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

/** A new user whose password is already hashed. */
export type HashedUser = Omit<NewUser, 'password'> & { hash: string };

/** The default application, the time and the actor for new users. */
interface Circumstances {
  appName: string;
  now: number;
  actor: Actor;
}

function newRow({ appName, now }: Circumstances, user: HashedUser) {
  const username = requireNewName(user.name);
  return {
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
  };
}

/**
 * Adds users whose passwords are already hashed.
 *
 * @param tx open transaction
 * @returns one entry for each of `users`, in the same order: the added user, or undefined if the name is taken
 * @throws AppError USERNAME_INVALID
 */
export async function insertAllHashed(
  tx: Transaction,
  circumstances: Circumstances,
  users: readonly HashedUser[],
): Promise<(User | undefined)[]> {
  const rows = users.map((user) => newRow(circumstances, user));
  const added = (await insertUsers.all(tx, { users: rows })).map(toUser);
  const { actor } = circumstances;
  await recordEvents(
    tx,
    added.map((user) => {
      const details = { role: user.role, allowed_apps: user.allowedApps, is_active: user.deactivatedAt === null };
      return { type: 'user.created', actor, subject: subjectOf(user), details } as const;
    }),
  );
  const bySub = new Map(added.map((user) => [user.sub, user]));
  return rows.map(({ sub }) => bySub.get(sub));
}

/** Adds one user whose password is already hashed. Returns undefined if the name is taken. */
export async function insertHashed(
  tx: Transaction,
  circumstances: Circumstances,
  user: HashedUser,
): Promise<User | undefined> {
  const [added] = await insertAllHashed(tx, circumstances, [user]);
  return added;
}

/**
 * Adds a user. Without a list of applications, the user may use the application APP_NAME. The password must differ from
 * both names in `application`.
 *
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
