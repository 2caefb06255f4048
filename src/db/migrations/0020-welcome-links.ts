import type { Kysely } from 'kysely';

/** Creates the table of links with which a user can choose a password. Each link works once. */
export const welcomeLinks = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('welcome_links')
      .addColumn('code_hash', 'text', (column) => column.primaryKey().notNull())
      .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('kind', 'text', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('sent_to', 'text')
      .addColumn('removes_factor', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('welcome_links_of_user').on('welcome_links').column('user_id').execute();
    await db.schema.createIndex('welcome_links_by_expiry').on('welcome_links').column('expires_at').execute();
  },
};
