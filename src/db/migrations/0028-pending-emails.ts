import type { Kysely } from 'kysely';

/** Creates the table of unconfirmed e-mail addresses. Links them to the mails that contain their confirmation links. */
export const pendingEmails = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('pending_emails')
      .addColumn('user_id', 'bigint', (column) =>
        column.primaryKey().notNull().references('users.id').onDelete('cascade'),
      )
      .addColumn('email', 'text', (column) => column.notNull())
      .addColumn('email_key', 'text', (column) => column.notNull())
      .addColumn('code_hash', 'text', (column) => column.unique())
      .addColumn('expires_at', 'bigint')
      .execute();
    await db.schema.createIndex('pending_emails_by_expiry').on('pending_emails').column('expires_at').execute();
    await db.schema
      .alterTable('outbox')
      .addColumn('email_hash', 'text', (column) => column.references('pending_emails.code_hash').onDelete('cascade'))
      .execute();
    await db.schema.createIndex('outbox_of_email').on('outbox').column('email_hash').execute();
  },
};
