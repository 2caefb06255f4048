import type { Kysely } from 'kysely';

export const providerLinks = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('provider_links')
      .addColumn('provider', 'text', (column) => column.notNull())
      .addColumn('account_id', 'text', (column) => column.notNull())
      .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('provider_links_of_account', ['provider', 'account_id'])
      .addUniqueConstraint('provider_links_of_user', ['user_id', 'provider'])
      .execute();
  },
};
