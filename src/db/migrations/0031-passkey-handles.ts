import type { Kysely } from 'kysely';

/** Adds the handle that names the user to the authenticator of an imported passkey. The former service created it. */
export const passkeyUserHandles = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('passkeys').addColumn('user_handle', 'text').execute();
  },
};
