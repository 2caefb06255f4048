import type { Kysely } from 'kysely';

export const browsers = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('sessions')
      .addColumn('browser', 'text', (c) => c.notNull().defaultTo(''))
      .execute();
    await db.schema.createIndex('sessions_of_browser').on('sessions').column('browser').execute();
    await db.schema.dropIndex('sessions_of_device').execute();
  },
};
