import type { Kysely } from 'kysely';

/** Users get a confirmed e-mail address. Several may have the same one. */
export const email = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('users').addColumn('email', 'text').execute();
    await db.schema.alterTable('users').addColumn('email_key', 'text').execute();
    await db.schema.createIndex('users_by_email').on('users').column('email_key').execute();
  },
};
