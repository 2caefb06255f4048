import { AppError } from '../errors/app-error.ts';
import { requirePlainText } from '../users/fields.ts';
import { type AddressRules, parseWebhookUrl } from './address.ts';
import type { WebhookColumns } from './queries.ts';
import { EVERY_EVENT, webhookEvents } from './webhook.ts';

const MAX_DESCRIPTION = 255;

/** The fields of a webhook. In a change, a missing field stays as it is. */
export interface WebhookFields {
  url?: string | undefined;
  events?: readonly string[] | undefined;
  /** The key of an application; empty means no application. */
  app?: string | undefined;
  description?: string | undefined;
}

function parseEvents(names: readonly string[] | undefined): string | undefined {
  if (names === undefined) return undefined;
  const allowed: readonly string[] = [...webhookEvents, EVERY_EVENT];
  if (names.length === 0 || names.some((name) => !allowed.includes(name)))
    throw new AppError('FIELD_INVALID', { field: 'events', allowed });
  return JSON.stringify(names.includes(EVERY_EVENT) ? [EVERY_EVENT] : [...new Set(names)]);
}

/**
 * Checks the fields of a webhook. The caller must check whether the application exists.
 *
 * @throws AppError FIELD_INVALID with the JSON name of the field; ADDRESS_NOT_ALLOWED
 */
export function parseWebhookFields(
  { url, events, app, description }: WebhookFields,
  rules: AddressRules,
): { [Column in keyof WebhookColumns]: WebhookColumns[Column] | undefined } {
  return {
    events: parseEvents(events),
    description: description === undefined ? undefined : requirePlainText(description, 'description', MAX_DESCRIPTION),
    app: app === undefined ? undefined : requirePlainText(app, 'app', MAX_DESCRIPTION).toLowerCase() || null,
    url: url === undefined ? undefined : parseWebhookUrl(url, rules),
  };
}
