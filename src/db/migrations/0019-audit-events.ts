import { type Kysely, sql } from 'kysely';
import { DAY_MS } from '../../lib/clock.ts';
import type { DatabaseKind } from '../handle.ts';
import { idColumn } from './columns.ts';

const texts = ['subject_name', 'session_ref', 'address', 'user_agent', 'application', 'request_id'];

/** The columns that select events for a list. Each list is sorted newest first. */
const listings = {
  time: [],
  subject: ['subject_id'],
  actor: ['actor_id'],
  event: ['event'],
  address: ['address'],
  application: ['application'],
};

const refusals = {
  sqlite: [
    `create trigger audit_events_refuse_update before update on audit_events
      begin select raise(abort, 'rows of audit_events never change'); end`,
  ],
  postgres: [
    `create function authsvc_refuse_audit_change() returns trigger language plpgsql as $$
      begin raise exception 'rows of audit_events never change'; end $$`,
    `create function authsvc_refuse_audit_delete() returns trigger language plpgsql as $$
      begin raise exception 'rows of audit_events are kept for a day at least'; end $$`,
    `create trigger audit_events_refuse_update before update on audit_events
      for each statement execute function authsvc_refuse_audit_change()`,
    `create trigger audit_events_refuse_truncate before truncate on audit_events
      for each statement execute function authsvc_refuse_audit_change()`,
    `create trigger audit_events_refuse_delete before delete on audit_events for each row
      when (old.at > extract(epoch from clock_timestamp()) * 1000 - ${DAY_MS})
      execute function authsvc_refuse_audit_delete()`,
  ],
};

/**
 * Creates the audit log. Its rows have no foreign keys, because they stay longer than the rows that they are about. A second
 * table keeps the names of removed users, so that their events can still be found.
 */
export const auditEvents = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    const table = idColumn(kind, db.schema.createTable('audit_events'))
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('event', 'text', (column) => column.notNull())
      .addColumn('actor_type', 'text', (column) => column.notNull())
      .addColumn('actor_id', 'bigint')
      .addColumn('actor_name', 'text')
      .addColumn('subject_id', 'bigint');
    await texts
      .reduce((made, column) => made.addColumn(column, 'text'), table)
      .addColumn('details', 'text', (column) => column.notNull())
      .execute();
    for (const [name, columns] of Object.entries(listings)) {
      const index =
        sql.raw(`create index audit_events_by_${name} on audit_events (${[...columns, 'at', 'id'].join(', ')})
        ${columns.map((column) => `where ${column} is not null`).join('')}`);
      await index.execute(db);
    }
    for (const text of refusals[kind]) await sql.raw(text).execute(db);
    await db.schema
      .createTable('removed_users')
      .addColumn('id', 'bigint', (column) => column.primaryKey().notNull())
      .addColumn('username_key', 'text', (column) => column.notNull())
      .addColumn('removed_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('removed_users_by_key').on('removed_users').column('username_key').execute();
    await db.schema.createIndex('removed_users_by_time').on('removed_users').column('removed_at').execute();
  },
});
