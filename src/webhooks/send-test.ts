import type { DataSealer } from '../db/data-keys.ts';
import type { Change } from '../events/change.ts';
import type { AddressRules } from './address.ts';
import { getWebhookRow } from './find-webhook.ts';
import { type LookUps, post } from './post.ts';
import { messageBody, newMessageId } from './queue-deliveries.ts';
import { openSecrets, signatureHeaders } from './secret.ts';
import { messageHeaders } from './send-delivery.ts';
import type { Delivery } from './webhook.ts';

const TEST_EVENT = 'webhook.test';

/**
 * Sends the event `webhook.test` to a webhook at once, even if the webhook is disabled. It makes only one attempt and
 * stores nothing.
 *
 * @throws AppError WEBHOOK_NOT_FOUND
 */
export async function sendTest(
  { database, now, actor, dataSealer, lookUps }: Change & { dataSealer: DataSealer; lookUps: LookUps },
  rules: AddressRules,
  key: string,
): Promise<Delivery> {
  const webhook = await getWebhookRow(database, key);
  const id = newMessageId();
  const body = messageBody(
    {
      at: now,
      event: TEST_EVENT,
      actor_type: actor.type,
      actor_id: actor.id ?? null,
      actor_name: actor.name ?? null,
      subject_id: null,
      subject_name: null,
      address: actor.address ?? null,
      application: null,
      details: {},
    },
    null,
    undefined,
  );
  const headers = { ...messageHeaders, ...signatureHeaders({ id, body }, openSecrets(dataSealer, webhook, now), now) };
  const { error, status, body: answer } = await post({ url: webhook.url, headers, body, rules, lookUps, now });
  return {
    id,
    event: TEST_EVENT,
    status: error === null ? 'delivered' : 'failed',
    attempts: 1,
    createdAt: now,
    nextAttemptAt: null,
    deliveredAt: error === null ? now : null,
    responseStatus: status,
    error,
    responseBody: answer,
  };
}
