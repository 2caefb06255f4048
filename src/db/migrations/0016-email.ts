import type { Kysely } from 'kysely';

/** Gives users a confirmed e-mail address. Several users may have the same address. */
export const email = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('users').addColumn('email', 'text').execute();
    await db.schema.alterTable('users').addColumn('email_key', 'text').execute();
    await db.schema.createIndex('users_by_email').on('users').column('email_key').execute();
  },
};
