import type { Kysely } from 'kysely';

/** Creates tables for passkeys, for the handles that name users to authenticators, and for open challenges. */
export const passkeys = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('passkeys')
      .addColumn('ref', 'text', (column) => column.primaryKey().notNull())
      .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('credential_id', 'text', (column) => column.notNull().unique())
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('counter', 'bigint', (column) => column.notNull())
      .addColumn('transports', 'text', (column) => column.notNull())
      .addColumn('aaguid', 'text', (column) => column.notNull())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('backed_up', 'integer', (column) => column.notNull())
      .addColumn('rp_id', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('last_used_at', 'bigint')
      .execute();
    await db.schema.createIndex('passkeys_of_user').on('passkeys').column('user_id').execute();
    await db.schema
      .createTable('passkey_handles')
      .addColumn('user_id', 'bigint', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('handle', 'text', (column) => column.notNull().unique())
      .execute();
    await db.schema
      .createTable('passkey_challenges')
      .addColumn('challenge_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('browser', 'text', (column) => column.notNull())
      .addColumn('session_id', 'text', (column) =>
        column.references('sessions.id').onDelete('cascade').onUpdate('cascade'),
      )
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('passkey_challenges_of_session')
      .on('passkey_challenges')
      .column('session_id')
      .execute();
    await db.schema.createIndex('passkey_challenges_by_expiry').on('passkey_challenges').column('expires_at').execute();
    await db.schema.alterTable('sessions').addColumn('passkey_ref', 'text').execute();
  },
};
