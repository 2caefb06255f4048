import type { Kysely } from 'kysely';

/** Adds indexes to find API tokens among a million: by their beginning, for example of a leaked token, and by scope. */
export const tokenLookups = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('api_tokens_by_prefix').on('api_tokens').columns(['prefix', 'id']).execute();
    await db.schema.createIndex('api_tokens_by_scope').on('api_tokens').columns(['scope', 'id']).execute();
  },
};
