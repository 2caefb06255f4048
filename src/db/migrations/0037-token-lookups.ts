import type { Kysely } from 'kysely';

/** Finds API tokens by their beginning, as the owner of a leaked one knows it, and those of a rare scope, among a million. */
export const tokenLookups = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.createIndex('api_tokens_by_prefix').on('api_tokens').columns(['prefix', 'id']).execute();
    await db.schema.createIndex('api_tokens_by_scope').on('api_tokens').columns(['scope', 'id']).execute();
  },
};
