import type { Kysely } from 'kysely';

/** Adds indexes with which cleaning finds expired rows without reading all rows. */
export const expiryIndexes = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const table of ['trusted_devices', 'api_token_reservations'])
      await db.schema.createIndex(`${table}_by_expiry`).on(table).column('expires_at').execute();
  },
};
