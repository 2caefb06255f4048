import { getApplication } from '../applications/find-application.ts';
import type { DataSealer } from '../db/data-keys.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { randomHex } from '../lib/random.ts';
import type { AddressRules } from './address.ts';
import { parseWebhookFields, type WebhookFields } from './fields.ts';
import { insertWebhook } from './queries.ts';
import { newWebhookSecret, sealSecret } from './secret.ts';
import { toWebhook, type Webhook } from './webhook.ts';

/** The parts of a change to a webhook; `dataSealer` seals its secrets. */
export type WebhookChange = Change & { dataSealer: DataSealer };

/**
 * Adds a webhook, which is active at once.
 *
 * @returns the webhook, and its secret, which is shown only once
 * @throws AppError FIELD_INVALID; ADDRESS_NOT_ALLOWED; APPLICATION_NOT_FOUND
 */
export async function addWebhook(
  { database, now, actor, dataSealer }: WebhookChange,
  rules: AddressRules,
  fields: WebhookFields & { url: string; events: readonly string[] },
): Promise<{ webhook: Webhook; secret: string }> {
  const { url, events, app = null, description = '' } = parseWebhookFields(fields, rules);
  const secret = newWebhookSecret();
  const key = `wh_${randomHex(12)}`;
  const row = await database.transaction(async (tx) => {
    if (app !== null) await getApplication(tx, app);
    const sealed = sealSecret(dataSealer, secret);
    const columns = { url: url ?? '', events: events ?? '[]', app, description };
    const inserted = await insertWebhook.first(tx, { ...columns, key, sealed_secret: sealed, created_at: now });
    if (!inserted) throw new AppError('WEBHOOK_NOT_FOUND', { id: key });
    const set = Object.entries(columns).flatMap(([field, value]) => (value ? [field] : []));
    const details = { id: key, change: 'created', fields: set } as const;
    await recordEvent(tx, { type: 'webhook.changed', actor, subject: null, details });
    return inserted;
  });
  return { webhook: toWebhook(row), secret };
}
