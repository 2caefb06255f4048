import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../handle.ts';

/**
 * Tells the planner of PostgreSQL how much the function for the search index costs. Otherwise the planner would call the
 * function for several thousand users instead of reading the index.
 */
export const trigramCost = (kind: DatabaseKind) => ({
  async up(db: Kysely<unknown>): Promise<void> {
    if (kind === 'postgres') await sql.raw('alter function authsvc_trigrams(text) cost 5000').execute(db);
  },
});
