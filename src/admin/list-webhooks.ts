import type { Handle } from '../db/handle.ts';
import { listDeliveries } from '../webhooks/list-deliveries.ts';
import { allWebhooks } from '../webhooks/queries.ts';
import { type Delivery, deliveryStates, toWebhook, type Webhook } from '../webhooks/webhook.ts';
import { fromCursor, ListParameters, type ListQuery } from './list-query.ts';
import { type Page, pageOfFew, toPage } from './page-of-rows.ts';

/**
 * Lists the webhooks, oldest first.
 *
 * @throws AppError FIELD_INVALID with the field; CURSOR_INVALID
 */
export async function listWebhooks(handle: Handle, query: ListQuery): Promise<Page<Webhook>> {
  const isFailing = new ListParameters(query).boolean('is_failing');
  const webhooks = (await allWebhooks.all(handle, {})).map(toWebhook);
  const found = webhooks.filter((one) => isFailing === undefined || (one.failingSince !== null) === isFailing);
  return pageOfFew(`webhooks ${isFailing}`, found, query);
}

/**
 * Lists the deliveries of a webhook, newest first.
 *
 * @throws AppError FIELD_INVALID with the field; CURSOR_INVALID; WEBHOOK_NOT_FOUND
 */
export async function listWebhookDeliveries(handle: Handle, key: string, query: ListQuery): Promise<Page<Delivery>> {
  const parameters = new ListParameters(query);
  const filter = { key, status: parameters.choice('status', deliveryStates) };
  const limit = parameters.limit();
  const after = fromCursor('deliveries', filter, parameters.text('after'));
  const place = after && Number(after.id);
  const rows = await listDeliveries(handle, key, { status: filter.status, after: place, limit: limit + 1 });
  return toPage(
    rows,
    { name: 'deliveries', filter, limit },
    { item: ({ place: _place, ...delivery }) => delivery, position: ({ place: id }) => ({ value: null, id }) },
  );
}
