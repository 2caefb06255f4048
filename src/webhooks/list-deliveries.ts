import type { Handle } from '../db/handle.ts';
import { getWebhookRow } from './find-webhook.ts';
import { pageOfDeliveries } from './queries.ts';
import type { Delivery, DeliveryStatus } from './webhook.ts';

interface DeliveryFilter {
  status: DeliveryStatus | undefined;
  /** The `place` of the last delivery on the previous page. */
  after: number | undefined;
  limit: number;
}

/** A delivery with its place in the list, for the next page. */
export type ListedDelivery = Delivery & { place: number };

/**
 * Lists deliveries of a webhook, newest first.
 *
 * @throws AppError WEBHOOK_NOT_FOUND
 */
export async function listDeliveries(handle: Handle, key: string, filter: DeliveryFilter): Promise<ListedDelivery[]> {
  const { id: webhookId } = await getWebhookRow(handle, key);
  const rows = await pageOfDeliveries.all(handle, { webhookId, ...filter });
  return rows.map((row) => ({
    id: row.id,
    place: row.audit_id,
    event: row.event,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: row.next_attempt_at,
    deliveredAt: row.delivered_at,
    responseStatus: row.response_status,
    error: row.error,
    responseBody: row.response_body,
  }));
}
