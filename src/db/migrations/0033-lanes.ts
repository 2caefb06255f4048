import { type Kysely, sql } from 'kysely';

/**
 * Adds a mark for messages that wait for an earlier one of their lane. Adds an index with which queries skip marked messages
 * and messages that are not due yet.
 */
export const lanes = {
  async up(db: Kysely<unknown>): Promise<void> {
    await db.schema
      .alterTable('outbox')
      .addColumn('is_behind', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    for (const index of ['of_webhook', 'by_lane', 'by_attempt', 'of_link', 'of_application', 'of_email'])
      await db.schema.dropIndex(`outbox_${index}`).execute();
    const index = (name: string) => db.schema.createIndex(`outbox_${name}`).on('outbox');
    await index('of_webhook')
      .columns(['webhook_id', 'is_behind', 'next_attempt_at'])
      .where('webhook_id', 'is not', null)
      .execute();
    await index('by_lane').columns(['lane', 'position']).where('lane', 'is not', null).execute();
    await index('by_attempt').column('next_attempt_at').where(sql.ref('webhook_id'), 'is', null).execute();
    // These indexes contain only rows with a value. Most rows have none, and an index entry costs as much as a row.
    for (const [name, column] of [
      ['of_link', 'link_hash'],
      ['of_application', 'application_id'],
      ['of_email', 'email_hash'],
    ] as const)
      await index(name).column(column).where(column, 'is not', null).execute();
    await db.schema.dropIndex('webhook_deliveries_by_expiry').execute();
    await db.schema
      .createIndex('webhook_deliveries_by_expiry')
      .on('webhook_deliveries')
      .column('expires_at')
      .where('expires_at', 'is not', null)
      .execute();
  },
};
