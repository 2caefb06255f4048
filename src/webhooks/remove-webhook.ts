import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { getLockedWebhook } from './find-webhook.ts';
import { deleteWebhook } from './queries.ts';

/**
 * Removes a webhook with its deliveries. Waiting deliveries are not sent any more.
 *
 * @throws AppError WEBHOOK_NOT_FOUND
 */
export function removeWebhook({ database, actor }: Omit<Change, 'now'>, key: string): Promise<void> {
  return database.transaction(async (tx) => {
    const { id } = await getLockedWebhook(tx, key);
    const details = { id: key, change: 'removed', fields: [] } as const;
    await recordEvent(tx, { type: 'webhook.changed', actor, subject: null, details });
    await deleteWebhook.run(tx, { id });
  });
}
