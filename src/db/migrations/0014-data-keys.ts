import type { Kysely } from 'kysely';

/** Values that are sealed or hashed by a data key name it; null: made before there were data keys. */
const keyed = ['totp_factors', 'recovery_codes'];

/** Keys for data at rest, so that replacing SESSION_SECRET_KEY touches only them. */
export const dataKeys = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('data_keys')
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('sealed_by', 'text', (column) => column.notNull())
      .addColumn('generation', 'integer', (column) => column.notNull())
      .addColumn('sealed_key', 'text', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('data_keys_pkey', ['id', 'sealed_by'])
      .execute();
    await db.schema
      .createTable('former_recovery_keys')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('sealed_key', 'text', (column) => column.notNull())
      .execute();
    for (const table of keyed) {
      await db.schema.alterTable(table).addColumn('key_id', 'text').execute();
      await db.schema.createIndex(`${table}_by_key`).on(table).column('key_id').execute();
    }
  },
};
