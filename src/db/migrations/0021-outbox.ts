import type { Kysely } from 'kysely';

/** Creates the table of messages to other servers, and the table of the times at which reset links were requested. */
export const outbox = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('outbox')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('payload', 'text', (column) => column.notNull())
      .addColumn('link_hash', 'text', (column) => column.references('welcome_links.code_hash').onDelete('cascade'))
      .addColumn('attempts', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('next_attempt_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('claimed_by', 'text', (column) => column.notNull().defaultTo(''))
      .addColumn('claimed_until', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.createIndex('outbox_by_attempt').on('outbox').column('next_attempt_at').execute();
    await db.schema.createIndex('outbox_of_link').on('outbox').column('link_hash').execute();
    await db.schema
      .createTable('reset_mails')
      .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('sent_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('reset_mails_of_user').on('reset_mails').columns(['user_id', 'sent_at']).execute();
  },
};
