import type { Kysely } from 'kysely';

/** Creates the table that counts wrong passwords for each account, whatever address they come from. */
export const passwordGuesses = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .createTable('password_guesses')
      .addColumn('budget', 'text', (column) => column.primaryKey().notNull())
      .addColumn('guessed_at', 'text', (column) => column.notNull())
      .addColumn('over', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.createIndex('password_guesses_by_expiry').on('password_guesses').column('expires_at').execute();
  },
};
