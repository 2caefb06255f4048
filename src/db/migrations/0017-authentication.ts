import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';
import { idColumn } from './columns.ts';

async function addSessionColumns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('sessions')
    .addColumn('authenticated_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('sessions')
    .addColumn('amr', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
  await sql`update sessions set authenticated_at = created_at,
    amr = case when method = 'password' then '["pwd"]' else '["fed"]' end`.execute(db);
}

async function createDrafts(kind: DatabaseKind, db: Kysely<unknown>): Promise<void> {
  await idColumn(kind, db.schema.createTable('totp_drafts'))
    .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('session_id', 'text', (column) =>
      column.unique().references('sessions.id').onDelete('cascade').onUpdate('cascade'),
    )
    .addColumn('second_step_id', 'text', (column) => column.unique().references('second_steps.id').onDelete('cascade'))
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('attempts_left', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('totp_drafts_of_user').on('totp_drafts').column('user_id').execute();
  await db.schema.createIndex('totp_drafts_by_expiry').on('totp_drafts').column('expires_at').execute();
}

/** Stores in sessions when and how the user signed in. Creates the table of authenticator apps that are being set up. */
export const authentication = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await addSessionColumns(db);
    await createDrafts(kind, db);
  },
});
