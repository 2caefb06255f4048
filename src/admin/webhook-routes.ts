import { type DoneReply, doneReply } from '../api-tokens/schemas.ts';
import { changeBy } from '../events/change.ts';
import { actorOf } from '../http/actor.ts';
import { status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { isoOrNull } from '../lib/instant.ts';
import { addWebhook } from '../webhooks/add-webhook.ts';
import { changeWebhook } from '../webhooks/change-webhook.ts';
import { parseWebhookFields } from '../webhooks/fields.ts';
import { getWebhookRow } from '../webhooks/find-webhook.ts';
import { removeWebhook } from '../webhooks/remove-webhook.ts';
import { retryDeliveries } from '../webhooks/retry-deliveries.ts';
import { DEFAULT_KEEP_HOURS, rotateWebhookSecret } from '../webhooks/rotate-webhook-secret.ts';
import { sendTest } from '../webhooks/send-test.ts';
import { toDeliveryJson, toWebhook, toWebhookJson } from '../webhooks/webhook.ts';
import { emptyRequest, type RotateRequest, rotatedReply, rotateRequest } from './change-schemas.ts';
import { changing, listErrors, reading } from './guards.ts';
import type { ListQuery } from './list-query.ts';
import { listWebhookDeliveries, listWebhooks } from './list-webhooks.ts';
import {
  deliveryList,
  deliveryListQuery,
  type NewWebhookRequest,
  newWebhookReply,
  newWebhookRequest,
  type RetryRequest,
  retryReply,
  retryRequest,
  testReply,
  type WebhookChangeRequest,
  webhookChangeRequest,
  webhookList,
  webhookListQuery,
  webhookParams,
  webhookReply,
} from './webhook-schemas.ts';

type IdCall<Body = unknown, Query = unknown> = Call<Body, Query, { id: string }>;

/** Returns the database, the time, the actor and the data sealer. Every rule that changes a webhook needs them. */
const changeOf = (call: Call) => ({
  ...changeBy(call.services, actorOf(call)),
  dataSealer: call.services.dataSealer,
});

/** Returns the webhook fields that a request contains. A null application becomes '', which removes the application. */
const readFields = ({ url, events, app, description }: WebhookChangeRequest) => ({
  url,
  events,
  app: app === null ? '' : app,
  description,
});

async function addOne(call: Call<NewWebhookRequest>) {
  const { url, events } = call.body;
  const fields = { ...readFields(call.body), url, events };
  const { webhook, secret } = await addWebhook(changeOf(call), call.services.settings, fields);
  return status(201, { success: true as const, webhook: toWebhookJson(webhook), secret });
}

async function changeOne(call: IdCall<WebhookChangeRequest>) {
  const changes = { ...readFields(call.body), isActive: call.body.is_active };
  const webhook = await changeWebhook(changeOf(call), call.services.settings, call.params.id, changes);
  return { success: true as const, webhook: toWebhookJson(webhook) };
}

async function removeOne(call: IdCall): Promise<DoneReply> {
  await removeWebhook(changeOf(call), call.params.id);
  return { success: true, message: 'The webhook has been removed' };
}

async function rotate(call: IdCall<RotateRequest>) {
  const hours = call.body.keep_old_hours ?? DEFAULT_KEEP_HOURS;
  const { secret, oldSecretExpiresAt: until } = await rotateWebhookSecret(changeOf(call), call.params.id, hours);
  const expires_at = isoOrNull(until);
  return status(201, { success: true as const, secret, expires_at });
}

async function test(call: IdCall) {
  const { settings, webhookLookUps: lookUps } = call.services;
  const delivery = await sendTest({ ...changeOf(call), lookUps }, settings, call.params.id);
  return { success: true as const, delivery: toDeliveryJson(delivery) };
}

async function retry(call: IdCall<RetryRequest>) {
  const { database, clock, outbox } = call.services;
  const retried = await retryDeliveries({ database, now: clock.now(), outbox }, call.params.id, call.body.message);
  return { success: true as const, retried };
}

const fieldErrors = ['FIELD_INVALID', 'ADDRESS_NOT_ALLOWED', 'APPLICATION_NOT_FOUND'] as const;

const readingRoutes: AnyRoute[] = [
  defineRoute({
    ...reading,
    kind: 'json',
    path: '/authsvc/api/admin/webhooks',
    operationId: 'listWebhooks',
    summary: 'List the webhooks, oldest first; superadmins only',
    query: webhookListQuery,
    replies: { 200: webhookList },
    errors: listErrors,
    handle: async ({ services, query }) => {
      const { items, next } = await listWebhooks(services.database, query);
      return { success: true, items: items.map(toWebhookJson), next };
    },
  }),
  defineRoute({
    ...reading,
    kind: 'json',
    path: '/authsvc/api/admin/webhooks/:id',
    operationId: 'getWebhook',
    summary: 'Return one webhook, without its secret; superadmins only',
    params: webhookParams,
    replies: { 200: webhookReply },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: async ({ services, params }) => {
      const webhook = toWebhook(await getWebhookRow(services.database, params.id));
      return { success: true, webhook: toWebhookJson(webhook) };
    },
  }),
  defineRoute({
    ...reading,
    kind: 'json',
    path: '/authsvc/api/admin/webhooks/:id/deliveries',
    operationId: 'listDeliveries',
    summary: 'List the sent and waiting deliveries of a webhook, newest first; superadmins only',
    params: webhookParams,
    query: deliveryListQuery,
    replies: { 200: deliveryList },
    errors: [...listErrors, 'WEBHOOK_NOT_FOUND'],
    handle: async ({ services, params, query }: IdCall<unknown, ListQuery>) => {
      const { items, next } = await listWebhookDeliveries(services.database, params.id, query);
      return { success: true as const, items: items.map(toDeliveryJson), next };
    },
  }),
];

/** JSON routes about webhooks, for superadmins. */
export const webhookRoutes: AnyRoute[] = [
  ...readingRoutes,
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/admin/webhooks',
    operationId: 'addWebhook',
    summary: 'Add a webhook; its secret is shown only in this reply; superadmins only',
    body: json(newWebhookRequest),
    replies: { 201: newWebhookReply },
    errors: fieldErrors,
    checkInput: ({ body, services }) => void parseWebhookFields(readFields(body), services.settings),
    handle: addOne,
  }),
  defineRoute({
    ...changing,
    method: 'PATCH',
    path: '/authsvc/api/admin/webhooks/:id',
    operationId: 'changeWebhook',
    summary: 'Change, disable or enable a webhook; superadmins only',
    params: webhookParams,
    body: json(webhookChangeRequest),
    replies: { 200: webhookReply },
    errors: [...fieldErrors, 'WEBHOOK_NOT_FOUND'],
    checkInput: ({ body, services }) => void parseWebhookFields(readFields(body), services.settings),
    handle: changeOne,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/admin/webhooks/:id',
    operationId: 'removeWebhook',
    summary: 'Remove a webhook and its deliveries; superadmins only',
    params: webhookParams,
    body: json(emptyRequest),
    replies: { 200: doneReply },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: removeOne,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/admin/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Give a webhook a new secret, which is shown only in this reply; superadmins only',
    params: webhookParams,
    body: json(rotateRequest),
    replies: { 201: rotatedReply },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: rotate,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/admin/webhooks/:id/test',
    operationId: 'testWebhook',
    summary: 'Send the event webhook.test to a webhook now, and return whether it was delivered; superadmins only',
    params: webhookParams,
    body: json(emptyRequest),
    replies: { 200: testReply },
    errors: ['WEBHOOK_NOT_FOUND'],
    handle: test,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/admin/webhooks/:id/retry',
    operationId: 'retryDeliveries',
    summary: 'Send all waiting and failed deliveries of a webhook now, or only the given one; superadmins only',
    params: webhookParams,
    body: json(retryRequest),
    replies: { 200: retryReply },
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
    handle: retry,
  }),
];
