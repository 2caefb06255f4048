import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/** Indexes for the lists of superadmins. Only PostgreSQL needs one for names: SQLite always sorts texts by code point. */
const indexes = {
  sqlite: [],
  postgres: ['users_by_name on users (username_key collate "C")'],
  both: [
    'users_by_creation on users (created_at, id)',
    'users_by_login on users (last_login_at, id)',
    `users_superadmins on users (id) where role = 'superadmin'`,
    'sessions_by_creation on sessions (created_at, id)',
    'sessions_by_address on sessions (address, created_at, id)',
  ],
};

/** Gives users a version, which grows with each change of the record or of the user's credentials. */
export const adminLists = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('users')
      .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    for (const index of [...indexes[kind], ...indexes.both]) await sql.raw(`create index ${index}`).execute(db);
  },
});
