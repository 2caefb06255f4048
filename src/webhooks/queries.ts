import { anyRowOf } from '../db/changes.ts';
import type { Portion } from '../db/cleaning.ts';
import { invalidating } from '../db/invalidation.ts';
import { defineDynamicQuery, defineListQuery, defineQuery } from '../db/query.ts';
import type { WebhookDeliveriesTable, WebhooksTable } from '../db/schema.ts';
import { skipLocked } from '../db/skip-locked.ts';

/** What every change of a webhook invalidates: the cached answer that says whether any webhook exists. */
const theWebhooks = () => anyRowOf('webhooks');

const columns = [
  'webhooks.id',
  'webhooks.key',
  'webhooks.url',
  'webhooks.events',
  'webhooks.app',
  'webhooks.description',
  'webhooks.created_at',
  'webhooks.disabled_at',
  'webhooks.last_delivered_at',
  'webhooks.failing_since',
] as const;

const secretColumns = ['sealed_secret', 'old_sealed_secret', 'old_secret_until'] as const;

/** The columns that a superadmin or an operator sets. */
export type WebhookColumns = Pick<WebhooksTable, 'url' | 'events' | 'app' | 'description'>;

interface NewWebhook extends WebhookColumns {
  key: string;
  sealed_secret: string;
  created_at: number;
}

export const insertWebhook = invalidating(
  defineQuery('webhooks.insert', (db, webhook: NewWebhook) =>
    db
      .insertInto('webhooks')
      .values({
        key: webhook.key,
        url: webhook.url,
        events: webhook.events,
        app: webhook.app,
        description: webhook.description,
        sealed_secret: webhook.sealed_secret,
        created_at: webhook.created_at,
      })
      .returning(columns),
  ),
  theWebhooks,
);

/** Reads all webhooks, oldest first. */
export const allWebhooks = defineQuery('webhooks.all', (db) => db.selectFrom('webhooks').select(columns).orderBy('id'));

export const anyWebhook = defineQuery('webhooks.any', (db) => db.selectFrom('webhooks').select('id').limit(1));

export const webhookByKey = defineQuery('webhooks.byKey', (db, { key }: { key: string }) =>
  db.selectFrom('webhooks').select(columns).select(secretColumns).where('key', '=', key),
);

/**
 * Locks a webhook's row until the transaction ends and returns it. The update sets a column to its own value, because
 * SQLite has no `SELECT … FOR UPDATE`.
 */
export const lockWebhook = defineQuery('webhooks.lock', (db, { key }: { key: string }) =>
  db
    .updateTable('webhooks')
    .set((value) => ({ url: value.ref('url') }))
    .where('key', '=', key)
    .returning([...columns, ...secretColumns]),
);

interface ChangedWebhook extends Partial<WebhookColumns> {
  id: number;
  sealed_secret?: string;
  old_sealed_secret?: string | null;
  old_secret_until?: number | null;
  disabled_at?: number | null;
  failing_since?: null;
}

export const updateWebhook = defineDynamicQuery('webhooks.update', (db, { id, ...given }: ChangedWebhook) =>
  db.updateTable('webhooks').set(given).where('id', '=', id).returning(columns),
);

export const deleteWebhook = invalidating(
  defineQuery('webhooks.delete', (db, { id }: { id: number }) => db.deleteFrom('webhooks').where('id', '=', id)),
  theWebhooks,
);

/**
 * Reads the active webhooks. On PostgreSQL it also locks them, so that none is removed before the transaction has added
 * deliveries for them.
 */
export const activeWebhooks = defineQuery('webhooks.active', (db, _params, { kind }) =>
  db
    .selectFrom('webhooks')
    .select(['webhooks.id', 'webhooks.key', 'webhooks.events', 'webhooks.app'])
    .where('disabled_at', 'is', null)
    .orderBy('webhooks.id')
    .$if(kind === 'postgres', (query) => query.forKeyShare('webhooks')),
);

/** Counts the deliveries that wait for each of these webhooks. */
export const countWaiting = defineListQuery('webhooks.countWaiting', 'ids', (db, { ids }: { ids: readonly number[] }) =>
  db
    .selectFrom('webhooks')
    .select((select) => [
      'webhooks.id',
      select
        .selectFrom('outbox')
        .select((outbox) => outbox.fn.countAll<number>().as('count'))
        .whereRef('outbox.webhook_id', '=', 'webhooks.id')
        .as('count'),
    ])
    .where('webhooks.id', 'in', ids),
);

/** Records that deliveries to these webhooks have succeeded. Locks the webhooks' rows. */
export const noteSuccesses = defineListQuery(
  'webhooks.noteSuccesses',
  'ids',
  (db, { ids, now }: { ids: readonly number[]; now: number }) =>
    db.updateTable('webhooks').set({ last_delivered_at: now, failing_since: null }).where('id', 'in', ids),
);

/** Records that an attempt has failed. Locks the webhook's row. */
export const noteFailure = defineQuery('webhooks.noteFailure', (db, { id, now }: { id: number; now: number }) =>
  db
    .updateTable('webhooks')
    .set((set) => ({ failing_since: set.fn.coalesce('failing_since', set.val(now)) }))
    .where('id', '=', id),
);

/** Disables an active webhook. */
export const disableWebhook = defineQuery('webhooks.disable', (db, { id, now }: { id: number; now: number }) =>
  db.updateTable('webhooks').set({ disabled_at: now }).where('id', '=', id).where('disabled_at', 'is', null),
);

/** Counts the active webhooks that began to fail before the given time and have had no success since. */
export const countFailingWebhooks = defineQuery('webhooks.countFailing', (db, { before }: { before: number }) =>
  db
    .selectFrom('webhooks')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('disabled_at', 'is', null)
    .where('failing_since', '<=', before),
);

type DeliveryStatus = WebhookDeliveriesTable['status'];

interface NewDelivery {
  id: string;
  webhook_id: number;
  audit_id: number;
  event: string;
  lane: string;
  body: string;
  status: DeliveryStatus;
  error: string | null;
  created_at: number;
  expires_at: number | null;
}

export const insertDeliveries = defineListQuery(
  'webhooks.insertDeliveries',
  'deliveries',
  (db, { deliveries }: { deliveries: readonly NewDelivery[] }) =>
    db.insertInto('webhook_deliveries').values(
      deliveries.map((delivery) => ({
        id: delivery.id,
        webhook_id: delivery.webhook_id,
        audit_id: delivery.audit_id,
        event: delivery.event,
        lane: delivery.lane,
        body: delivery.body,
        status: delivery.status,
        error: delivery.error,
        attempts: 0,
        created_at: delivery.created_at,
        expires_at: delivery.expires_at,
      })),
    ),
);

/** Reads waiting deliveries, with everything that is needed to send them. */
export const deliveriesToSend = defineListQuery(
  'webhooks.deliveriesToSend',
  'ids',
  (db, { ids }: { ids: readonly string[] }) =>
    db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
      .select(['webhook_deliveries.id as delivery_id', 'webhook_deliveries.body'])
      .select(['webhooks.id', 'webhooks.key', 'webhooks.url', ...secretColumns])
      .where('webhook_deliveries.id', 'in', ids),
);

interface EndedAttempts {
  ids: readonly string[];
  status: DeliveryStatus;
  deliveredAt: number | null;
  responseStatus: number | null;
  error: string | null;
  responseBody: string | null;
  expiresAt: number | null;
}

/** Stores the results of attempts. */
export const endAttempts = defineListQuery('webhooks.endAttempts', 'ids', (db, ended: EndedAttempts) =>
  db
    .updateTable('webhook_deliveries')
    .set((set) => ({
      attempts: set('attempts', '+', 1),
      status: ended.status,
      delivered_at: ended.deliveredAt,
      response_status: ended.responseStatus,
      error: ended.error,
      response_body: ended.responseBody,
      expires_at: ended.expiresAt,
    }))
    .where('id', 'in', ended.ids),
);

interface Repeated {
  webhookId: number;
  /** The id of one delivery; undefined means all deliveries of the webhook. */
  id: string | undefined;
}

/** Makes failed deliveries wait again, and returns them. */
export const repeatFailed = defineDynamicQuery('webhooks.repeatFailed', (db, { webhookId, id }: Repeated) =>
  db
    .updateTable('webhook_deliveries')
    .set({ status: 'waiting', expires_at: null })
    .where('webhook_id', '=', webhookId)
    .where('status', '=', 'failed')
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .returning(['id', 'audit_id', 'lane', 'attempts', 'created_at']),
);

interface DeliveryPage {
  webhookId: number;
  status: DeliveryStatus | undefined;
  /** The audit id of the last delivery on the previous page. */
  after: number | undefined;
  limit: number;
}

/** Lists deliveries of a webhook, newest first. */
export const pageOfDeliveries = defineDynamicQuery(
  'webhooks.deliveries',
  (db, { webhookId, status, after, limit }: DeliveryPage) =>
    db
      .selectFrom('webhook_deliveries')
      .leftJoin('outbox', 'outbox.id', 'webhook_deliveries.id')
      .select([
        'webhook_deliveries.id',
        'webhook_deliveries.audit_id',
        'webhook_deliveries.event',
        'webhook_deliveries.status',
        'webhook_deliveries.attempts',
        'webhook_deliveries.created_at',
        'outbox.next_attempt_at',
        'webhook_deliveries.delivered_at',
        'webhook_deliveries.response_status',
        'webhook_deliveries.error',
        'webhook_deliveries.response_body',
      ])
      .where('webhook_deliveries.webhook_id', '=', webhookId)
      .$if(status !== undefined, (query) => query.where('webhook_deliveries.status', '=', status ?? 'waiting'))
      .$if(after !== undefined, (query) => query.where('webhook_deliveries.audit_id', '<', after ?? 0))
      .orderBy('webhook_deliveries.audit_id', 'desc')
      .limit(limit),
);

/** Deletes some deliveries whose retention time has passed. */
export const deleteOldDeliveries = defineDynamicQuery('webhooks.deleteOld', (db, { now, most }: Portion, { kind }) =>
  db
    .deleteFrom('webhook_deliveries')
    .where(
      'id',
      'in',
      db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('expires_at', '<=', now)
        .limit(most)
        .$call(skipLocked(kind)),
    ),
);
