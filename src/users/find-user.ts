import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { everyIdByKey, userById, userByKey } from './queries.ts';
import { toUser, type User, type UserRow } from './user.ts';
import { parseUsername } from './username.ts';

export interface UserWithHash extends User {
  passwordHash: string;
  /** Increases with each new password, but not when the same password is hashed again. */
  passwordVersion: number;
}

const toUserWithHash = (row: UserRow & { password_hash: string; password_version: number }): UserWithHash => ({
  ...toUser(row),
  passwordHash: row.password_hash,
  passwordVersion: row.password_version,
});

/** Finds the user with the given name. Letter case and Unicode composition do not matter. */
export async function findUser(handle: Handle, name: string): Promise<UserWithHash | undefined> {
  const key = parseUsername(name)?.key;
  const row = key === undefined ? undefined : await userByKey.first(handle, { key });
  return row && toUserWithHash(row);
}

/** Finds the user with the given id. */
export async function findUserById(handle: Handle, id: number): Promise<UserWithHash | undefined> {
  const row = await userById.first(handle, { id });
  return row && toUserWithHash(row);
}

/**
 * Returns the user with the given name.
 *
 * @throws AppError USER_NOT_FOUND
 */
export async function getUser(handle: Handle, name: string): Promise<UserWithHash> {
  const user = await findUser(handle, name);
  if (!user) throw new AppError('USER_NOT_FOUND', { username: name });
  return user;
}

/**
 * Returns the ids of all users who have a name or had it when they were removed. Letter case and Unicode composition do
 * not matter.
 */
export async function findEveryUserId(handle: Handle, name: string): Promise<number[]> {
  const key = parseUsername(name)?.key;
  if (key === undefined) return [];
  return (await everyIdByKey.all(handle, { key })).map(({ id }) => id);
}
