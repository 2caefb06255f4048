import type { Kysely } from 'kysely';

export const passwordVersion = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('users')
      .addColumn('password_version', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
