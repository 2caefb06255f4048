import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';
import { idColumn } from './columns.ts';

const userColumns = ['totp_secret', 'totp_enabled_at', 'totp_last_step', 'totp_guesses', 'totp_blocked_until'];

async function createTables(kind: DatabaseKind, db: Kysely<unknown>): Promise<void> {
  await idColumn(kind, db.schema.createTable('totp_factors'))
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('last_step', 'bigint', (column) => column.notNull())
    .addColumn('confirmed_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('totp_factors_of_user').on('totp_factors').column('user_id').execute();
  await db.schema
    .createTable('factor_guesses')
    .addColumn('user_id', 'bigint', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('guesses', 'integer', (column) => column.notNull())
    .addColumn('blocked_until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('trusted_browsers')
    .addColumn('token_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('trusted_browsers_of_user').on('trusted_browsers').column('user_id').execute();
  await db.schema.createIndex('trusted_browsers_by_expiry').on('trusted_browsers').column('expires_at').execute();
}

async function moveRows(db: Kysely<unknown>): Promise<void> {
  await sql`insert into totp_factors (user_id, secret, last_step, confirmed_at)
    select id, totp_secret, totp_last_step, totp_enabled_at from users
    where totp_secret is not null and totp_enabled_at is not null`.execute(db);
  await sql`insert into factor_guesses (user_id, guesses, blocked_until)
    select id, totp_guesses, totp_blocked_until from users where totp_guesses > 0`.execute(db);
  await sql`insert into trusted_browsers (token_hash, user_id, user_agent, created_at, expires_at)
    select token_hash, user_id, user_agent, trusted_devices.created_at, expires_at
    from trusted_devices join users on users.id = trusted_devices.user_id
    where trusted_devices.totp_enabled_at = users.totp_enabled_at`.execute(db);
}

/** Moves second factors, counters of wrong codes, and trusted browsers to their own tables. */
export const factors = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await createTables(kind, db);
    await moveRows(db);
    await db.schema.dropTable('trusted_devices').execute();
    for (const column of userColumns) await db.schema.alterTable('users').dropColumn(column).execute();
  },
});
