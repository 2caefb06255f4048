import type { Kysely } from 'kysely';

export const consumedStates = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('spent_starts')
      .addColumn('state_hash', 'text', (column) => column.primaryKey())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('spent_starts_by_expiry').on('spent_starts').column('expires_at').execute();
  },
};
