import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';
import { idColumn } from './columns.ts';

/** Processes cache only whether there are webhooks. They read the rows of webhooks each time. */
const changeFeed = `
create function authsvc_tell_webhooks() returns trigger language plpgsql as $$
begin
  perform pg_catalog.pg_notify('authsvc_changes', 'webhooks *');
  return null;
end $$;
create trigger authsvc_tell_webhooks after insert or delete or truncate on webhooks
  for each statement execute function authsvc_tell_webhooks();`;

/** Creates the tables of webhooks and deliveries. Adds lanes to the outbox, and the table that says which process may send. */
export const webhooks = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await idColumn(kind, db.schema.createTable('webhooks'))
      .addColumn('key', 'text', (column) => column.notNull().unique())
      .addColumn('url', 'text', (column) => column.notNull())
      .addColumn('events', 'text', (column) => column.notNull())
      .addColumn('app', 'text')
      .addColumn('description', 'text', (column) => column.notNull())
      .addColumn('sealed_secret', 'text', (column) => column.notNull())
      .addColumn('old_sealed_secret', 'text')
      .addColumn('old_secret_until', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('disabled_at', 'bigint')
      .addColumn('last_delivered_at', 'bigint')
      .addColumn('failing_since', 'bigint')
      .execute();
    await db.schema
      .createTable('webhook_deliveries')
      .addColumn('id', 'text', (column) => column.primaryKey().notNull())
      .addColumn('webhook_id', 'bigint', (column) => column.notNull().references('webhooks.id').onDelete('cascade'))
      .addColumn('audit_id', 'bigint', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('lane', 'text', (column) => column.notNull())
      .addColumn('body', 'text', (column) => column.notNull())
      .addColumn('status', 'text', (column) => column.notNull())
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('delivered_at', 'bigint')
      .addColumn('response_status', 'integer')
      .addColumn('error', 'text')
      .addColumn('response_body', 'text')
      .addColumn('expires_at', 'bigint')
      .execute();
    await db.schema
      .createIndex('webhook_deliveries_of_webhook')
      .on('webhook_deliveries')
      .columns(['webhook_id', 'audit_id'])
      .execute();
    await db.schema.createIndex('webhook_deliveries_by_expiry').on('webhook_deliveries').column('expires_at').execute();
    await db.schema
      .alterTable('outbox')
      .addColumn('webhook_id', 'bigint', (column) => column.references('webhooks.id').onDelete('cascade'))
      .execute();
    await db.schema.alterTable('outbox').addColumn('lane', 'text').execute();
    await db.schema.alterTable('outbox').addColumn('position', 'bigint').execute();
    await db.schema.createIndex('outbox_of_webhook').on('outbox').column('webhook_id').execute();
    await db.schema.createIndex('outbox_by_lane').on('outbox').columns(['lane', 'position']).execute();
    await db.schema
      .createTable('outbox_turns')
      .addColumn('name', 'text', (column) => column.primaryKey().notNull())
      .addColumn('holder', 'text', (column) => column.notNull())
      .addColumn('held_until', 'bigint', (column) => column.notNull())
      .execute();
    if (kind === 'postgres') await sql.raw(changeFeed).execute(db);
  },
});
