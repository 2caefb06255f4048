import { sql } from 'kysely';
import { defineQuery } from '../db/query.ts';

/** Waits until no other import has an open transaction, and keeps others waiting until this one ends; on PostgreSQL. */
export const lockImports = defineQuery('imports.lock', (db) => ({
  compile: () => sql`select pg_advisory_xact_lock(hashtext('authsvc import'))`.compile(db),
}));
