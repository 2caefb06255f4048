import type { Kysely } from 'kysely';

/** Passkeys that were imported: their authenticators know the user by a handle of the former service. */
export const passkeyUserHandles = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('passkeys').addColumn('user_handle', 'text').execute();
  },
};
