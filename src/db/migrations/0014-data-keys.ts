import type { Kysely } from 'kysely';

/** Tables with values that a data key seals or hashes. Their rows name the key; null if the value is older than data keys. */
const keyed = ['totp_factors', 'recovery_codes'];

/** Creates keys for stored data. When SESSION_SECRET_KEY is replaced, only these keys have to be sealed again. */
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
