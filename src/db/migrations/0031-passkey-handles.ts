import type { Kysely } from 'kysely';

/** Adds the handle by which the authenticator of an imported passkey knows its user. The former service created it. */
export const passkeyUserHandles = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('passkeys').addColumn('user_handle', 'text').execute();
  },
};
