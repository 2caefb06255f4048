import { renderPage } from '../http/page.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { cleanText } from '../lib/plain-text.ts';
import { getWebhookRow } from '../webhooks/find-webhook.ts';
import { type Delivery, deliveryStates, toWebhook, toWebhookJson, type Webhook } from '../webhooks/webhook.ts';
import { csrfOf, showList } from './console-page-routes.ts';
import { listErrors, listPage, page } from './guards.ts';
import type { ListQuery } from './list-query.ts';
import { listWebhookDeliveries, listWebhooks } from './list-webhooks.ts';
import type { ConsoleCell } from './page/console-list/data.ts';
import { consoleWebhookPageData } from './page/console-webhook/data.ts';
import { consoleWebhookPage } from './page/console-webhook/page.ts';
import { deliveryListQuery, webhookListQuery, webhookParams } from './webhook-schemas.ts';

const time = (at: number | null): ConsoleCell => (at === null ? null : { time: new Date(at).toISOString() });
const code = (text: string): ConsoleCell => ({ text, isCode: true });

const webhookRow = (webhook: Webhook): ConsoleCell[] => [
  { text: webhook.url, href: `/authsvc/admin/webhooks/${encodeURIComponent(webhook.key)}` },
  webhook.disabledAt === null ? { word: 'active', badge: 'calm' } : { word: 'disabled', badge: 'danger' },
  webhook.events.includes('*') ? { word: 'everyEvent' } : code(webhook.events.join(', ')),
  webhook.app ?? { word: 'anyApp' },
  time(webhook.failingSince),
  time(webhook.lastDeliveredAt),
  time(webhook.createdAt),
];

const webhooks = (call: Call<unknown, ListQuery>) =>
  showList(call, { view: 'webhooks', choices: {} }, async () => {
    const { items, next } = await listWebhooks(call.services.database, call.query);
    return { rows: items.map(webhookRow), next };
  });

async function webhook(call: Call<unknown, unknown, { id: string }>) {
  const found = toWebhook(await getWebhookRow(call.services.database, call.params.id));
  return renderPage(
    call,
    consoleWebhookPage,
    consoleWebhookPageData({ webhook: toWebhookJson(found), csrfToken: csrfOf(call) }),
  );
}

interface Circumstances {
  webhookId: string;
  now: number;
  /** Whether the webhook is disabled. Nothing is sent to a disabled webhook. */
  isDisabled: boolean;
}

const badges = { waiting: 'warning', delivered: 'calm', failed: 'danger' } as const;

/** Returns the time of the next attempt, or "in turn" if the delivery is due and waits only for earlier deliveries. */
function nextAttempt({ nextAttemptAt }: Delivery, { now, isDisabled }: Circumstances): ConsoleCell {
  if (nextAttemptAt === null || isDisabled) return null;
  return nextAttemptAt > now ? time(nextAttemptAt) : { word: 'inTurn' };
}

/** Longest part of a receiver's reply that the list shows, in characters. */
const MAX_SHOWN = 120;

/**
 * Returns the HTTP status of the receiver's reply. After a failure, returns the reason, with the status and the beginning
 * of the reply's body.
 */
function answerOf({ error, responseStatus, responseBody }: Delivery): ConsoleCell {
  if (error === null) return responseStatus === null ? null : code(String(responseStatus));
  const body = [...cleanText(responseBody ?? '')];
  const shown = `${body.slice(0, MAX_SHOWN).join('')}${body.length > MAX_SHOWN ? '…' : ''}`;
  return { failure: error, received: [responseStatus ?? [], shown === '' ? [] : shown].flat().join(': ') };
}

function deliveryRow(delivery: Delivery, circumstances: Circumstances): ConsoleCell[] {
  const { id, status } = delivery;
  const retryPath = `/authsvc/api/admin/webhooks/${encodeURIComponent(circumstances.webhookId)}/retry`;
  return [
    time(delivery.createdAt),
    code(delivery.event),
    { word: status, badge: badges[status] },
    delivery.attempts,
    nextAttempt(delivery, circumstances),
    answerOf(delivery),
    status === 'delivered' ? null : { action: 'repeat', path: retryPath, name: id },
    code(id),
  ];
}

async function deliveries(call: Call<unknown, ListQuery, { id: string }>) {
  const { services, params, query } = call;
  const { key: id, url, disabled_at: disabledAt } = await getWebhookRow(services.database, params.id);
  const frame = { view: 'deliveries', webhook: { id, url }, choices: { status: deliveryStates } } as const;
  const circumstances = { webhookId: id, now: services.clock.now(), isDisabled: disabledAt !== null };
  return showList(call, frame, async () => {
    const { items, next } = await listWebhookDeliveries(services.database, id, query);
    return { rows: items.map((item) => deliveryRow(item, circumstances)), next };
  });
}

/** The pages of the console about webhooks. */
export const webhookPageRoutes: AnyRoute[] = [
  defineRoute({
    ...listPage,
    path: '/authsvc/admin/webhooks',
    operationId: 'showWebhooksPage',
    summary: 'Show the list of webhooks; superadmins only',
    query: webhookListQuery,
    handle: webhooks,
  }),
  defineRoute({
    ...page,
    path: '/authsvc/admin/webhooks/:id',
    operationId: 'showWebhookPage',
    summary: 'Show one webhook; superadmins only',
    params: webhookParams,
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: webhook,
  }),
  defineRoute({
    ...listPage,
    path: '/authsvc/admin/webhooks/:id/deliveries',
    operationId: 'showDeliveriesPage',
    summary: 'Show the sent and waiting deliveries of a webhook; superadmins only',
    params: webhookParams,
    query: deliveryListQuery,
    errors: [...listErrors, 'WEBHOOK_NOT_FOUND'],
    handle: deliveries,
  }),
];
