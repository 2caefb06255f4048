import type { Outbox } from '../delivery/outbox.ts';
import { attemptNow } from '../delivery/queries.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { getLockedWebhook } from './find-webhook.ts';
import { repeatFailed } from './queries.ts';
import { WEBHOOK } from './queue-deliveries.ts';

/**
 * Makes waiting and failed deliveries due now.
 *
 * @param id the delivery to repeat; undefined repeats all deliveries of the webhook
 * @returns how many deliveries are due now
 * @throws AppError WEBHOOK_NOT_FOUND; DELIVERY_NOT_FOUND if there is no such delivery or it was already delivered
 */
export function retryDeliveries(
  { database, now, outbox }: Pick<Change, 'database' | 'now'> & { outbox: Outbox },
  key: string,
  id: string | undefined,
): Promise<number> {
  return database.transaction(async (tx) => {
    const { id: webhookId } = await getLockedWebhook(tx, key);
    const waiting = await attemptNow.run(tx, { webhookId, id, now });
    const failed = await repeatFailed.all(tx, { webhookId, id });
    if (id !== undefined && waiting + failed.length === 0) throw new AppError('DELIVERY_NOT_FOUND', { id });
    const messages = failed.map(({ id: messageId, audit_id: position, lane, attempts, created_at: createdAt }) => ({
      kind: WEBHOOK,
      id: messageId,
      webhookId,
      order: { lane, position },
      attempts,
      createdAt,
    }));
    if (messages.length > 0) await outbox.add(tx, messages);
    return waiting + failed.length;
  });
}
