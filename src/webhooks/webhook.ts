import { isoOrNull } from '../lib/instant.ts';
import { parseList } from '../users/user.ts';

/** The events to which a webhook can subscribe. `*` means all events, including those of later versions. */
export const webhookEvents = [
  'user.created',
  'user.updated',
  'user.deactivated',
  'user.reactivated',
  'user.removed',
  'user.signed_in',
  'session.ended',
  'password.changed',
  'factor.changed',
  'connection.changed',
  'token.created',
  'token.revoked',
  'application.changed',
] as const;
export const EVERY_EVENT = '*';

/** A URL to which events are sent. */
export interface Webhook {
  id: number;
  /** The public id. */
  key: string;
  url: string;
  events: string[];
  app: string | null;
  description: string;
  createdAt: number;
  disabledAt: number | null;
  lastDeliveredAt: number | null;
  failingSince: number | null;
}

/** The columns of a webhook without its secrets. */
export interface WebhookRow {
  id: number;
  key: string;
  url: string;
  events: string;
  app: string | null;
  description: string;
  created_at: number;
  disabled_at: number | null;
  last_delivered_at: number | null;
  failing_since: number | null;
}

export const toWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  key: row.key,
  url: row.url,
  events: parseList(row.events),
  app: row.app,
  description: row.description,
  createdAt: row.created_at,
  disabledAt: row.disabled_at,
  lastDeliveredAt: row.last_delivered_at,
  failingSince: row.failing_since,
});

/** Converts a webhook to JSON, without its secret. */
export const toWebhookJson = (webhook: Webhook) => ({
  id: webhook.key,
  url: webhook.url,
  events: webhook.events,
  app: webhook.app,
  description: webhook.description,
  is_active: webhook.disabledAt === null,
  created_at: new Date(webhook.createdAt).toISOString(),
  last_delivered_at: isoOrNull(webhook.lastDeliveredAt),
  failing_since: isoOrNull(webhook.failingSince),
});

export const deliveryStates = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof deliveryStates)[number];

/** One event that is to be sent to one webhook. */
export interface Delivery {
  id: string;
  event: string;
  status: DeliveryStatus;
  attempts: number;
  createdAt: number;
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  responseStatus: number | null;
  error: string | null;
  responseBody: string | null;
}

/** Converts a delivery to JSON. */
export const toDeliveryJson = (delivery: Delivery) => ({
  id: delivery.id,
  event: delivery.event,
  status: delivery.status,
  attempts: delivery.attempts,
  created_at: new Date(delivery.createdAt).toISOString(),
  next_attempt_at: isoOrNull(delivery.nextAttemptAt),
  delivered_at: isoOrNull(delivery.deliveredAt),
  response_status: delivery.responseStatus,
  error: delivery.error,
  response_body: delivery.responseBody,
});
