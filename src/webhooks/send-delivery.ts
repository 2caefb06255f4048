import type { Transaction } from '../db/handle.ts';
import type { Attempt, FailedMessage, Outcome, Sender } from '../delivery/outbox.ts';
import { systemActor } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { programVersion } from '../lib/package-root.ts';
import { vary } from '../lib/random.ts';
import { type PostResult, post } from './post.ts';
import { deliveryToSend, disableWebhook, endAttempt, noteFailure, noteSuccess } from './queries.ts';
import { FAILED_KEPT_MS, WEBHOOK } from './queue-deliveries.ts';
import { openSecrets, signatureHeaders } from './secret.ts';

const GONE = 410;
const DELIVERED_KEPT_MS = 7 * DAY_MS;
const GIVEN_UP_AFTER_MS = DAY_MS;

const FIRST_DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];
const LATER_DELAY_MS = 3 * HOUR_MS;
const DELAYS_VARY_BY = 0.2;

/** An answer that is no success, or none at all. */
class NotDelivered extends Error {
  readonly result: PostResult;

  constructor(webhook: string, result: PostResult) {
    super(`${webhook} was not delivered: ${result.error}${result.status === null ? '' : ` ${result.status}`}`);
    this.result = result;
  }
}

/** How long a delivery waits after failed attempts; undefined: it has failed for good. */
export function deliveryDelay(attempts: number, { createdAt, now, failure }: FailedMessage): number | undefined {
  const { status = null, retryAfterMs = 0 }: Partial<PostResult> =
    failure instanceof NotDelivered ? failure.result : {};
  if (status === GONE) return undefined;
  const delay = Math.max(vary(FIRST_DELAYS_MS[attempts - 1] ?? LATER_DELAY_MS, DELAYS_VARY_BY), retryAfterMs);
  return now + delay < createdAt + GIVEN_UP_AFTER_MS ? Math.round(delay) : undefined;
}

/** The headers of a message besides its signature. */
export const messageHeaders = {
  'content-type': 'application/json',
  'user-agent': `authsvc/${programVersion()}`,
} as const;

interface SentDelivery {
  id: string;
  webhook: { id: number; key: string };
  result: PostResult;
  now: number;
}

/** Keeps what came of an attempt for its webhook. One whose receiver is gone for good is disabled. */
async function recordReceiver(tx: Transaction, { webhook, result, now }: SentDelivery, outcome: Outcome) {
  await (outcome === 'delivered' ? noteSuccess : noteFailure).run(tx, { id: webhook.id, now });
  if (result.status === GONE && (await disableWebhook.run(tx, { id: webhook.id, now })) > 0) {
    const details = { id: webhook.key, change: 'disabled', fields: ['is_active'] } as const;
    await recordEvent(tx, { type: 'webhook.changed', actor: systemActor, subject: null, details });
  }
}

/** Keeps what came of an attempt for its delivery. */
async function recordMessage(tx: Transaction, { id, result, now }: SentDelivery, outcome: Outcome) {
  const endedAt = { delivered: now + DELIVERED_KEPT_MS, failed: now + FAILED_KEPT_MS, retried: null };
  await endAttempt.run(tx, {
    id,
    status: outcome === 'retried' ? 'waiting' : outcome,
    deliveredAt: outcome === 'delivered' ? now : null,
    responseStatus: result.status,
    error: result.error,
    responseBody: result.body,
    expiresAt: endedAt[outcome],
  });
}

type Needs = Pick<Services, 'database' | 'dataSealer' | 'clock' | 'settings'>;

/** Makes what sends deliveries to their webhooks. */
export const deliverySender = ({ database, dataSealer, clock, settings }: Needs): Sender => ({
  kind: WEBHOOK,
  delayAfter: deliveryDelay,
  send: async ({ id }, signal): Promise<Attempt | undefined> => {
    const delivery = await deliveryToSend.first(database, { id });
    if (!delivery) return undefined;
    const { body, url, id: webhookId, key } = delivery;
    const now = clock.now();
    const signature = signatureHeaders({ id, body }, openSecrets(dataSealer, delivery, now), now);
    const headers = { ...messageHeaders, ...signature };
    const result = await post({ url, headers, body, rules: settings, now, signal });
    const sent = { id, webhook: { id: webhookId, key }, result, now: clock.now() };
    return {
      failure: result.error === null ? undefined : new NotDelivered(key, result),
      recordReceiver: (tx, outcome) => recordReceiver(tx, sent, outcome),
      recordMessage: (tx, outcome) => recordMessage(tx, sent, outcome),
    };
  },
});
