import { Refusal } from '../command/refusal.ts';
import type { Handle } from '../db/handle.ts';
import { userByKey } from './queries.ts';
import { toUser, type User } from './user.ts';
import { parseUsername } from './username.ts';

export interface UserWithHash extends User {
  passwordHash: string;
}

/** The user of a name, in any case and composition; undefined when there is none. */
export async function findUser(handle: Handle, name: string): Promise<UserWithHash | undefined> {
  const key = parseUsername(name)?.key;
  const row = key === undefined ? undefined : await userByKey.first(handle, { key });
  return row && { ...toUser(row), passwordHash: row.password_hash };
}

/** The user that a command names. Throws a Refusal when there is none. */
export async function getUser(handle: Handle, name: string): Promise<UserWithHash> {
  const user = await findUser(handle, name);
  if (!user) throw new Refusal(`There is no user called ${JSON.stringify(name)}.`);
  return user;
}

/** What a command says when somebody else removes the user while it is at work. */
export const removedMeanwhile = (name: string): Refusal =>
  new Refusal(`The user ${JSON.stringify(name)} was removed meanwhile.`);
