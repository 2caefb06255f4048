import { defineQuery } from '../db/query.ts';

const columns = [
  'id',
  'username',
  'full_name',
  'role',
  'allowed_apps',
  'image',
  'created_at',
  'deactivated_at',
  'last_login_at',
] as const;

/** One user with the hash of the password, for signing in. */
export const userByKey = defineQuery('users.byKey', (db, { key }: { key: string }) =>
  db.selectFrom('users').select([...columns, 'password_hash']).where('username_key', '=', key),
);

export const allUsers = defineQuery('users.all', (db) => db.selectFrom('users').select(columns).orderBy('id'));

export const anyUser = defineQuery('users.any', (db) => db.selectFrom('users').select('id').limit(1));

interface NewUser {
  username: string;
  username_key: string;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
  password_hash: string;
  created_at: number;
  deactivated_at: number | null;
}

/** Adds a user; answers nothing where the name is taken. */
export const insertUser = defineQuery('users.insert', (db, user: NewUser) =>
  db
    .insertInto('users')
    .values({
      username: user.username,
      username_key: user.username_key,
      full_name: user.full_name,
      role: user.role,
      allowed_apps: user.allowed_apps,
      image: user.image,
      password_hash: user.password_hash,
      created_at: user.created_at,
      deactivated_at: user.deactivated_at,
    })
    .onConflict((conflict) => conflict.column('username_key').doNothing())
    .returning(columns),
);

interface ChangedUser {
  id: number;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
  deactivated_at: number | null;
}

export const updateUser = defineQuery('users.update', (db, user: ChangedUser) =>
  db
    .updateTable('users')
    .set({
      full_name: user.full_name,
      role: user.role,
      allowed_apps: user.allowed_apps,
      image: user.image,
      deactivated_at: user.deactivated_at,
    })
    .where('id', '=', user.id)
    .returning(columns),
);

export const setPasswordHash = defineQuery('users.setPassword', (db, { id, hash }: { id: number; hash: string }) =>
  db.updateTable('users').set({ password_hash: hash }).where('id', '=', id),
);

/** Puts a hash of newer parameters in the place of the one that was just verified. */
export const replacePasswordHash = defineQuery(
  'users.rehash',
  (db, { id, old, hash }: { id: number; old: string; hash: string }) =>
    db.updateTable('users').set({ password_hash: hash }).where('id', '=', id).where('password_hash', '=', old),
);

/**
 * Notes a sign-in by password, and holds the row until the transaction ends, so that sign-ins of one user follow one
 * another. Changes nothing when the user was deactivated, or got another password, since they were looked at.
 */
export const recordPasswordLogin = defineQuery(
  'users.recordPasswordLogin',
  (db, { id, hash, now }: { id: number; hash: string; now: number }) =>
    db
      .updateTable('users')
      .set({ last_login_at: now })
      .where('id', '=', id)
      .where('password_hash', '=', hash)
      .where('deactivated_at', 'is', null),
);

export const deleteUser = defineQuery('users.delete', (db, { id }: { id: number }) => db.deleteFrom('users').where('id', '=', id));
