import type { Handle, Transaction } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { lockWebhook, webhookByKey } from './queries.ts';

/**
 * The row of a webhook, with its sealed secrets.
 *
 * @throws AppError WEBHOOK_NOT_FOUND
 */
export async function getWebhookRow(handle: Handle, key: string) {
  const row = await webhookByKey.first(handle, { key });
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND', { id: key });
  return row;
}

/**
 * The same, locked until the transaction ends, so that the changes of a webhook run one after the other.
 *
 * @throws AppError WEBHOOK_NOT_FOUND
 */
export async function getLockedWebhook(tx: Transaction, key: string) {
  const row = await lockWebhook.first(tx, { key });
  if (!row) throw new AppError('WEBHOOK_NOT_FOUND', { id: key });
  return row;
}
