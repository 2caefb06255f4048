import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/** Creates the request counters that several processes share. Only on PostgreSQL. */
export const rateLimits = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    if (kind === 'sqlite') return;
    await db.schema
      .createTable('rate_limits')
      .addColumn('key', 'text', (column) => column.primaryKey())
      .addColumn('points', 'integer', (column) => column.notNull().defaultTo(0))
      .addColumn('expire', 'bigint')
      .execute();
    await db.schema.createIndex('rate_limits_by_expiry').on('rate_limits').column('expire').execute();
  },
});
