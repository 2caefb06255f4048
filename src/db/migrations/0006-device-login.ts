import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../handle.ts';
import { idColumn } from './columns.ts';

export const deviceLogin = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await idColumn(kind, db.schema.createTable('cli_profiles'))
      .addColumn('key', 'text', (column) => column.notNull().unique())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('allowed_apps', 'text', (column) => column.notNull())
      .addColumn('expires_in_days', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .execute();
    await idColumn(kind, db.schema.createTable('device_requests'))
      .addColumn('user_code_hash', 'text', (column) => column.notNull().unique())
      .addColumn('device_code_hash', 'text', (column) => column.notNull().unique())
      .addColumn('profile_id', 'bigint', (column) => column.notNull().references('cli_profiles.id').onDelete('cascade'))
      .addColumn('client_name', 'text', (column) => column.notNull())
      .addColumn('address', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('user_id', 'bigint', (column) => column.references('users.id').onDelete('set null'))
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('decided_at', 'bigint')
      .addColumn('completed_at', 'bigint')
      .execute();
    await db.schema.createIndex('device_requests_by_expiry').on('device_requests').column('expires_at').execute();
    await db.schema.createIndex('device_requests_of_user').on('device_requests').column('user_id').execute();
  },
});
