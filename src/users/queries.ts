import type { ExpressionBuilder } from 'kysely';
import type { Portion } from '../db/cleaning.ts';
import { invalidating } from '../db/invalidation.ts';
import { defineDynamicQuery, defineQuery } from '../db/query.ts';
import type { Schema } from '../db/schema.ts';
import { foldText } from '../lib/fold-text.ts';

const theUser = ({ id }: { id: number }) => `users ${id}`;

/** Selects when the user set up a second factor. */
export const secondFactorAt = (select: ExpressionBuilder<Schema, 'users'>) =>
  select
    .selectFrom('totp_factors')
    .select('confirmed_at')
    .whereRef('totp_factors.user_id', '=', 'users.id')
    .orderBy('confirmed_at')
    .limit(1)
    .as('second_factor_at');

/** Selects 1 for a user with a password, else 0. */
export const hasPassword = (select: ExpressionBuilder<Schema, 'users'>) =>
  select.case().when('users.password_hash', '=', '').then(select.lit(0)).else(select.lit(1)).end().as('has_password');

/** The columns that make up a user. */
export const columns = [
  'id',
  'sub',
  'username',
  'full_name',
  'role',
  'allowed_apps',
  'image',
  'created_at',
  'deactivated_at',
  'last_login_at',
  'email',
  'version',
  secondFactorAt,
  hasPassword,
] as const;

/** Reads one user by name key, with the password hash that a sign-in needs. */
export const userByKey = defineQuery('users.byKey', (db, { key }: { key: string }) =>
  db
    .selectFrom('users')
    .select([...columns, 'password_hash', 'password_version'])
    .where('username_key', '=', key),
);

/** Reads one user by id, with the password hash that a sign-in needs. */
export const userById = defineQuery('users.byId', (db, { id }: { id: number }) =>
  db
    .selectFrom('users')
    .select([...columns, 'password_hash', 'password_version'])
    .where('id', '=', id),
);

/** Reads the users with the given name keys, with the password hashes. */
export const usersByKeys = defineDynamicQuery('users.byKeys', (db, { keys }: { keys: readonly string[] }) =>
  db
    .selectFrom('users')
    .select([...columns, 'username_key', 'password_hash', 'password_version'])
    .where('username_key', 'in', keys),
);

/** Reads some users in the order of their ids, with their password hashes. */
export const usersAfter = defineQuery('users.after', (db, { after, most }: { after: number; most: number }) =>
  db
    .selectFrom('users')
    .select([...columns, 'password_hash'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(most),
);

/** Counts the active superadmins. */
export const countActiveSuperadmins = defineQuery('users.countActiveSuperadmins', (db) =>
  db
    .selectFrom('users')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('role', '=', 'superadmin')
    .where('deactivated_at', 'is', null),
);

export const allUsers = defineQuery('users.all', (db) => db.selectFrom('users').select(columns).orderBy('id'));

export const anyUser = defineQuery('users.any', (db) => db.selectFrom('users').select('id').limit(1));

interface NewUser {
  sub: string;
  username: string;
  username_key: string;
  full_name: string;
  role: string;
  allowed_apps: string;
  image: string;
  email: string | null;
  email_key: string | null;
  password_hash: string;
  created_at: number;
  deactivated_at: number | null;
  last_login_at: number | null;
  updated_at: number;
}

interface Searched {
  full_name: string | undefined;
  allowed_apps: string | undefined;
}

/** Returns the case-folded copies of the given columns, which the search uses. */
const foldedColumns = ({ full_name: name, allowed_apps: apps }: Searched) => ({
  folded_full_name: name === undefined ? undefined : foldText(name),
  folded_apps: apps === undefined ? undefined : foldText(apps),
});

/** Adds users. Returns only those whose names were free. */
export const insertUsers = defineDynamicQuery('users.insert', (db, { users }: { users: readonly NewUser[] }) =>
  db
    .insertInto('users')
    .values(
      users.map((user) => ({
        sub: user.sub,
        username: user.username,
        username_key: user.username_key,
        full_name: user.full_name,
        role: user.role,
        allowed_apps: user.allowed_apps,
        image: user.image,
        email: user.email,
        email_key: user.email_key,
        password_hash: user.password_hash,
        created_at: user.created_at,
        deactivated_at: user.deactivated_at,
        last_login_at: user.last_login_at,
        updated_at: user.updated_at,
        folded_username: foldText(user.username),
        ...foldedColumns(user),
      })),
    )
    .onConflict((conflict) => conflict.column('username_key').doNothing())
    .returning(columns),
);

interface ChangedUser {
  id: number;
  full_name: string | undefined;
  role: string | undefined;
  allowed_apps: string | undefined;
  image: string | undefined;
  email: string | null | undefined;
  email_key: string | null | undefined;
  created_at: number | undefined;
  last_login_at: number | null | undefined;
  /**
   * Null reactivates the user. A time deactivates the user, unless the user is already inactive. Undefined changes
   * nothing.
   */
  deactivated_at: number | null | undefined;
  updated_at: number;
}

/** Writes only the given fields, so that a simultaneous change of other fields is not lost. */
export const updateUser = invalidating(
  defineDynamicQuery('users.update', (db, { id, deactivated_at: at, ...given }: ChangedUser) =>
    db
      .updateTable('users')
      .set((value) => ({ ...given, ...foldedColumns(given), version: value('version', '+', 1) }))
      .$if(at !== undefined, (update) =>
        update.set((value) => ({
          deactivated_at: at ? value.fn.coalesce('deactivated_at', value.val(at)) : null,
        })),
      )
      .where('id', '=', id)
      .returning(columns),
  ),
  theUser,
);

/**
 * Locks a user's row until the transaction ends and returns the current user. The update sets a column to its own value,
 * because SQLite has no `SELECT … FOR UPDATE`.
 *
 * Every transaction that changes data of a user, such as second factors, locks this row first, so that two such
 * transactions never deadlock.
 */
export const lockUserById = defineQuery('users.lock', (db, { id }: { id: number }) =>
  db
    .updateTable('users')
    .set((value) => ({ username_key: value.ref('username_key') }))
    .where('id', '=', id)
    .returning(columns),
);

/** Locks users in the order of their ids. PostgreSQL only. */
export const lockUserRows = defineQuery('users.lockRows', (db, { ids }: { ids: readonly number[] }, { sql }) =>
  db.selectFrom('users').select('id').where(sql<boolean>`id = any(${ids}::bigint[])`).orderBy('id').forNoKeyUpdate(),
);

/** Locks the whole table, so that no other transaction can lock or change a user. PostgreSQL only. */
export const lockUsersTable = defineQuery('users.lockAll', (db, _params, { sql }) => ({
  compile: () => sql`lock table users in exclusive mode`.compile(db),
}));

/** Reads the time of a user's latest sign-in. */
export const lastLogin = defineQuery('users.lastLogin', (db, { id }: { id: number }) =>
  db.selectFrom('users').select('last_login_at').where('id', '=', id),
);

/** Reads the name of a user. */
export const usernameById = defineQuery('users.name', (db, { id }: { id: number }) =>
  db.selectFrom('users').select(['id', 'username']).where('id', '=', id),
);

/** Sets the hash of a new password. */
export const setPasswordHash = defineQuery('users.setPassword', (db, { id, hash }: { id: number; hash: string }) =>
  db
    .updateTable('users')
    .set((set) => ({
      password_hash: hash,
      password_version: set('password_version', '+', 1),
      version: set('version', '+', 1),
    }))
    .where('id', '=', id),
);

/**
 * Replaces a password hash by a hash of the same password with stronger parameters. Changes nothing if the password has
 * changed since it was verified.
 */
export const replacePasswordHash = defineQuery(
  'users.rehash',
  (db, { id, old, hash }: { id: number; old: string; hash: string }) =>
    db.updateTable('users').set({ password_hash: hash }).where('id', '=', id).where('password_hash', '=', old),
);

/** The columns of the user that a sign-in needs. */
const loginColumns = ['username', 'role', 'allowed_apps', secondFactorAt, hasPassword] as const;

/**
 * Records a sign-in and locks the row until the transaction ends, so that sign-ins of one user run one after another.
 * Changes nothing if the user is inactive.
 */
export const recordLogin = defineQuery('users.recordLogin', (db, { id, now }: { id: number; now: number }) =>
  db
    .updateTable('users')
    .set({ last_login_at: now })
    .where('id', '=', id)
    .where('deactivated_at', 'is', null)
    .returning(loginColumns),
);

/**
 * Does the same as `recordLogin` after a password was verified. Changes nothing if the user has another password now. A
 * new hash of the same password does not matter.
 */
export const recordPasswordLogin = defineQuery(
  'users.recordPasswordLogin',
  (db, { id, version, now }: { id: number; version: number; now: number }) =>
    db
      .updateTable('users')
      .set({ last_login_at: now })
      .where('id', '=', id)
      .where('password_version', '=', version)
      .where('deactivated_at', 'is', null)
      .returning(loginColumns),
);

/**
 * Locks the row of an active user until the transaction ends, without recording a sign-in. Returns a row count of 0 if
 * the user is inactive.
 */
export const lockUser = defineQuery('users.hold', (db, { id }: { id: number }) =>
  db
    .updateTable('users')
    .set((set) => ({ username_key: set.ref('username_key') }))
    .where('id', '=', id)
    .where('deactivated_at', 'is', null),
);

/**
 * Does the same as `lockUser` after a password was verified. Returns a row count of 0 if the user has another password
 * now. A new hash of the same password does not matter.
 */
export const lockUserWithPassword = defineQuery(
  'users.holdWithPassword',
  (db, { id, version }: { id: number; version: number }) =>
    db
      .updateTable('users')
      .set((set) => ({ username_key: set.ref('username_key') }))
      .where('id', '=', id)
      .where('password_version', '=', version)
      .where('deactivated_at', 'is', null),
);

export const deleteUser = invalidating(
  defineQuery('users.delete', (db, { id }: { id: number }) => db.deleteFrom('users').where('id', '=', id)),
  theUser,
);

/**
 * Locks the row of an active user until the transaction ends and returns the current user. Transactions that count
 * against a limit of this user therefore run one after another. The update sets a column to its own value, because SQLite
 * has no `SELECT … FOR UPDATE`.
 */
export const lockActiveUser = defineQuery('users.lockActive', (db, { id }: { id: number }) =>
  db
    .updateTable('users')
    .set((value) => ({ username_key: value.ref('username_key') }))
    .where('id', '=', id)
    .where('deactivated_at', 'is', null)
    .returning(columns),
);

/** Stores the name of a user who is being removed. */
export const insertRemovedUser = defineQuery(
  'users.keepName',
  (db, { id, now }: { id: number; now: number }, { sql }) =>
    db
      .insertInto('removed_users')
      .columns(['id', 'username_key', 'removed_at'])
      .expression((from) =>
        from
          .selectFrom('users')
          .select((select) => ['id', 'username_key', sql<number>`cast(${select.val(now)} as bigint)`.as('removed_at')])
          .where('id', '=', id),
      ),
);

/** Reads the ids of all users who have a name or had it when they were removed. */
export const everyIdByKey = defineQuery('users.everyId', (db, { key }: { key: string }) =>
  db
    .selectFrom('users')
    .select('id')
    .where('username_key', '=', key)
    .unionAll(db.selectFrom('removed_users').select('id').where('username_key', '=', key)),
);

/** Deletes the stored names of some users who were removed before `now`. */
export const deleteOldRemovedUsers = defineDynamicQuery('users.forgetNames', (db, { now, most }: Portion) =>
  db
    .deleteFrom('removed_users')
    .where('id', 'in', db.selectFrom('removed_users').select('id').where('removed_at', '<', now).limit(most)),
);

/** Raises the version of a user after a change in another table. */
export const incrementVersion = defineQuery('users.incrementVersion', (db, { id }: { id: number }) =>
  db
    .updateTable('users')
    .set((value) => ({ version: value('version', '+', 1) }))
    .where('id', '=', id),
);

/** Finds an active superadmin other than the given user. */
export const otherSuperadmin = defineQuery('users.otherSuperadmin', (db, { id }: { id: number }, { sql }) =>
  db
    .selectFrom('users')
    .select('id')
    .where('role', '=', sql.lit('superadmin'))
    .where('deactivated_at', 'is', null)
    .where('id', '!=', id)
    .limit(1),
);

/** Reads the confirmed e-mail address of a user, for the cache. */
export const emailById = defineQuery('users.email', (db, { id }: { id: number }) =>
  db.selectFrom('users').select('email').where('id', '=', id),
);

/** Reads the keys of all registered applications. */
export const applicationKeys = defineQuery('users.applicationKeys', (db) =>
  db.selectFrom('applications').select('key'),
);
