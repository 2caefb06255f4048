import type { Kysely } from 'kysely';

export const parentTokens = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('api_tokens').addColumn('parent_id', 'bigint').execute();
    await db.schema.createIndex('api_tokens_of_parent').on('api_tokens').column('parent_id').execute();
  },
};
