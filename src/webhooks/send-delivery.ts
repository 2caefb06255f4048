import type { Transaction } from '../db/handle.ts';
import type { Ended, FailedMessage, Outcome, Sender } from '../delivery/sender.ts';
import { systemActor } from '../events/actor.ts';
import { recordEvent } from '../events/record-event.ts';
import type { Services } from '../http/route.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts';
import { programVersion } from '../lib/package-root.ts';
import { vary } from '../lib/random.ts';
import { type Connections, type PostResult, post } from './post.ts';
import { deliveriesToSend, disableWebhook, endAttempts, noteFailure, noteSuccesses } from './queries.ts';
import { FAILED_KEPT_MS, WEBHOOK } from './queue-deliveries.ts';
import { openSecrets, rememberSecrets, signatureHeaders } from './secret.ts';

const GONE = 410;
const DELIVERED_KEPT_MS = 7 * DAY_MS;
const GIVEN_UP_AFTER_MS = DAY_MS;

const FIRST_DELAYS_MS = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, HOUR_MS];
const LATER_DELAY_MS = 3 * HOUR_MS;
const DELAYS_VARY_BY = 0.2;
/** The longest time that a delivery waits between two attempts. */
export const MAX_DELAY_MS = LATER_DELAY_MS * (1 + DELAYS_VARY_BY);

/** Thrown if the receiver sends an error status or does not answer. */
class NotDelivered extends Error {
  readonly result: PostResult;

  constructor(webhook: string, result: PostResult) {
    super(`${webhook} was not delivered: ${result.error}${result.status === null ? '' : ` ${result.status}`}`);
    this.result = result;
  }
}

/** Returns how long a delivery waits after a number of failed attempts; undefined if it has finally failed. */
export function deliveryDelay(attempts: number, { createdAt, now, failure }: FailedMessage): number | undefined {
  const { status = null, retryAfterMs = 0 }: Partial<PostResult> =
    failure instanceof NotDelivered ? failure.result : {};
  if (status === GONE) return undefined;
  const delay = Math.max(vary(FIRST_DELAYS_MS[attempts - 1] ?? LATER_DELAY_MS, DELAYS_VARY_BY), retryAfterMs);
  return now + delay < createdAt + GIVEN_UP_AFTER_MS ? Math.round(delay) : undefined;
}

/** The headers of every message, besides those of its signature. */
export const messageHeaders = {
  'content-type': 'application/json',
  'user-agent': `authsvc/${programVersion()}`,
} as const;

interface SentDelivery {
  webhook: { id: number; key: string };
  result: PostResult;
  now: number;
}

const isDelivered = ({ outcome }: Ended<SentDelivery>): boolean => outcome === 'delivered';

/** Updates webhooks with the results of attempts. Disables a webhook whose receiver answers that it is gone (410). */
async function recordReceivers(tx: Transaction, ended: readonly Ended<SentDelivery>[]): Promise<void> {
  const delivered = ended.filter(isDelivered).map(({ sent }) => sent);
  const ids = [...new Set(delivered.map(({ webhook }) => webhook.id))];
  const now = Math.max(...delivered.map((sent) => sent.now));
  if (ids.length > 0) await noteSuccesses.run(tx, { ids, now });
  for (const { sent } of ended.filter((one) => !isDelivered(one))) await recordFailure(tx, sent);
}

async function recordFailure(tx: Transaction, { webhook, result, now }: SentDelivery): Promise<void> {
  await noteFailure.run(tx, { id: webhook.id, now });
  if (result.status === GONE && (await disableWebhook.run(tx, { id: webhook.id, now })) > 0) {
    const details = { id: webhook.key, change: 'disabled', fields: ['is_active'] } as const;
    await recordEvent(tx, { type: 'webhook.changed', actor: systemActor, subject: null, details });
  }
}

function outcomeColumns(outcome: Outcome, { result }: SentDelivery, now: number) {
  const endedAt = { delivered: now + DELIVERED_KEPT_MS, failed: now + FAILED_KEPT_MS, retried: null };
  return {
    status: outcome === 'retried' ? 'waiting' : outcome,
    deliveredAt: outcome === 'delivered' ? now : null,
    responseStatus: result.status,
    error: result.error,
    responseBody: result.body,
    expiresAt: endedAt[outcome],
  } as const;
}

/** Updates deliveries with the results of attempts. Deliveries with equal results share one statement. */
async function recordMessages(tx: Transaction, ended: readonly Ended<SentDelivery>[]): Promise<void> {
  const groups = new Map<string, { ids: string[]; columns: ReturnType<typeof outcomeColumns> }>();
  const now = Math.max(...ended.map(({ sent }) => sent.now));
  for (const { id, outcome, sent } of ended) {
    const columns = outcomeColumns(outcome, sent, now);
    const key = JSON.stringify(columns);
    const group = groups.get(key) ?? { ids: [], columns };
    group.ids.push(id);
    groups.set(key, group);
  }
  for (const { ids, columns } of groups.values()) await endAttempts.run(tx, { ids, ...columns });
}

type DeliveryRow = Awaited<ReturnType<typeof deliveriesToSend.all>>[number];
type Needs = Pick<Services, 'database' | 'dataSealer' | 'clock' | 'settings' | 'webhookLookUps'>;

/** Creates the function that sends deliveries to their webhooks, over the given connections. */
export function deliverySender(
  { database, dataSealer, clock, settings, webhookLookUps: lookUps }: Needs,
  connections: Connections,
): Sender<SentDelivery> {
  const opener = rememberSecrets(dataSealer);
  const send = async (delivery: DeliveryRow, signal: AbortSignal) => {
    const { delivery_id: id, body, url, id: webhookId, key } = delivery;
    const now = clock.now();
    const secrets = openSecrets(opener, delivery, now);
    const headers = { ...messageHeaders, ...signatureHeaders({ id, body }, secrets, now) };
    const result = await post({ url, headers, body, rules: settings, lookUps, now, signal, connections });
    const failure = result.error === null ? undefined : new NotDelivered(key, result);
    return { failure, sent: { webhook: { id: webhookId, key }, result, now: clock.now() } };
  };
  return {
    kind: WEBHOOK,
    delayAfter: deliveryDelay,
    prepare: async (ids) => {
      const rows = await deliveriesToSend.all(database, { ids });
      return new Map(rows.map((row) => [row.delivery_id, async (signal: AbortSignal) => send(row, signal)]));
    },
    recordReceivers,
    recordMessages,
  };
}
