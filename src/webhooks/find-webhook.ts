import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { lockWebhook, webhookByKey } from './queries.ts';

/**
 * Returns the row of a webhook, with its sealed secrets.
 *
 * @throws AppError WEBHOOK_NOT_FOUND
 */
export async function getWebhookRow(handle: Handle, key: string) {
  const row = await webhookByKey.first(handle, { key });
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND', { id: key });
  return row;
}

/**
 * Returns the row of a webhook and locks it until the transaction ends, so that changes of one webhook run one after
 * another.
 *
 * @throws AppError WEBHOOK_NOT_FOUND
 */
export async function getLockedWebhook(tx: Transaction, key: string) {
  const row = await lockWebhook.first(tx, { key });
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND', { id: key });
  return row;
}
