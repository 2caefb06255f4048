import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

const newRef = {
  sqlite: sql`lower(hex(randomblob(12)))`,
  postgres: sql`substr(md5(random()::text || id), 1, 24)`,
};

/** Gives sessions a permanent name that is not secret, the time of their last use, and the end of their confirmation. */
export const ownSessions = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('sessions')
      .addColumn('ref', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema
      .alterTable('sessions')
      .addColumn('last_seen_at', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.alterTable('sessions').addColumn('confirmed_until', 'bigint').execute();
    await sql`update sessions set ref = ${newRef[kind]}, last_seen_at = created_at`.execute(db);
    await sql`create unique index sessions_by_ref on sessions (ref) where ref <> ''`.execute(db);
  },
});
