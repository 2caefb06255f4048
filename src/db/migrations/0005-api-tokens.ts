import type { Kysely } from 'kysely';
import type { DatabaseKind } from '../handle.ts';
import { idColumn } from './columns.ts';

export const apiTokens = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await idColumn(kind, db.schema.createTable('api_tokens'))
      .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('token_hash', 'text', (column) => column.notNull().unique())
      .addColumn('prefix', 'text', (column) => column.notNull())
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('allowed_apps', 'text')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint')
      .addColumn('last_used_at', 'bigint')
      .execute();
    await db.schema.createIndex('api_tokens_of_user').on('api_tokens').columns(['user_id', 'expires_at']).execute();
    await db.schema.createIndex('api_tokens_by_expiry').on('api_tokens').column('expires_at').execute();
    await db.schema
      .createTable('api_token_reservations')
      .addColumn('reference', 'text', (column) => column.primaryKey().notNull())
      .addColumn('user_id', 'bigint', (column) => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('api_token_reservations_of_user')
      .on('api_token_reservations')
      .column('user_id')
      .execute();
  },
});
