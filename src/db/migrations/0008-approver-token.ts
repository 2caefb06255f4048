import type { Kysely } from 'kysely';

export const approverToken = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema.alterTable('device_requests').addColumn('approver_token_id', 'bigint').execute();
  },
};
