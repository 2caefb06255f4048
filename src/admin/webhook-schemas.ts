import { type Static, Type } from 'typebox';
import { orNull } from '../http/values.ts';
import { deliveryStates, webhookEvents } from '../webhooks/webhook.ts';
import { activeListQuery, listOf, paging } from './console-schemas.ts';

const done = Type.Literal(true);
const text = Type.String({ maxLength: 4096 });
const instant = Type.String({ description: 'ISO 8601, UTC' });
const instantOrNull = orNull(instant);
const textOrNull = orNull(Type.String());
const integerOrNull = orNull(Type.Integer());

const consoleWebhook = Type.Object({
  id: Type.String({ description: 'Id of the webhook, which begins with wh_' }),
  url: Type.String(),
  events: Type.Array(Type.String()),
  app: textOrNull,
  description: Type.String(),
  is_active: Type.Boolean(),
  created_at: instant,
  last_delivered_at: instantOrNull,
  failing_since: instantOrNull,
});

const delivery = Type.Object({
  id: Type.String({ description: 'Id of the delivery, which every attempt sends in the header webhook-id' }),
  event: Type.String(),
  status: Type.String({ description: deliveryStates.join(', ') }),
  attempts: Type.Integer({ minimum: 0 }),
  created_at: instant,
  next_attempt_at: instantOrNull,
  delivered_at: instantOrNull,
  response_status: integerOrNull,
  error: orNull(
    Type.String({ description: 'timeout, refused, dns, tls, address_not_allowed, redirect, status, too_many_waiting' }),
  ),
  response_body: orNull(Type.String({ description: 'The first 1,024 bytes of the response body' })),
});

export const webhookParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[^\\u0000]*$' }),
});
export const webhookListQuery = Type.Object({
  ...activeListQuery.properties,
  is_failing: Type.Optional(Type.String({ description: 'true or false: whether the last delivery attempt failed' })),
});
export const deliveryListQuery = Type.Object({
  status: Type.Optional(Type.String({ description: `State of the deliveries: ${deliveryStates.join(', ')}` })),
  ...paging,
});

const events = Type.Array(text, {
  maxItems: 200,
  description: `* for all events, or a list of names from ${webhookEvents.join(', ')}`,
});
const optionalFields = {
  app: Type.Optional(
    orNull(
      Type.String({
        maxLength: 4096,
        description:
          'Key of an application. If given, only events about this application and about the users who may use it are sent',
      }),
    ),
  ),
  description: Type.Optional(text),
};
export const newWebhookRequest = Type.Object({ url: text, events, ...optionalFields });
export type NewWebhookRequest = Static<typeof newWebhookRequest>;
export const webhookChangeRequest = Type.Object({
  url: Type.Optional(text),
  events: Type.Optional(events),
  ...optionalFields,
  is_active: Type.Optional(Type.Boolean()),
});
export type WebhookChangeRequest = Static<typeof webhookChangeRequest>;
export const retryRequest = Type.Object({
  message: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'Id of one delivery. If absent: all waiting and failed deliveries of the webhook',
    }),
  ),
});
export type RetryRequest = Static<typeof retryRequest>;

export const webhookList = listOf(consoleWebhook);
export const deliveryList = listOf(delivery);
export const webhookReply = Type.Object({ success: done, webhook: consoleWebhook });
export type WebhookReply = Static<typeof webhookReply>;
export const newWebhookReply = Type.Object({
  success: done,
  webhook: consoleWebhook,
  secret: Type.String({ description: 'Shown only in this reply' }),
});
export const testReply = Type.Object({ success: done, delivery });
export const retryReply = Type.Object({ success: done, retried: Type.Integer({ minimum: 0 }) });
