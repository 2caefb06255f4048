import { getApplication } from '../applications/find-application.ts';
import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import type { AddressRules } from './address.ts';
import { parseWebhookFields, type WebhookFields } from './fields.ts';
import { getLockedWebhook } from './find-webhook.ts';
import { updateWebhook, type WebhookColumns } from './queries.ts';
import { toWebhook, type Webhook } from './webhook.ts';

interface WebhookChanges extends WebhookFields {
  isActive?: boolean | undefined;
}

const columnNames = ['url', 'events', 'app', 'description'] as const;

function changeWord(fields: readonly string[], isActive: boolean | undefined) {
  if (fields.join() !== 'is_active') return 'updated';
  return isActive ? 'enabled' : 'disabled';
}

/**
 * Changes a webhook. If no field differs, writes nothing and records no event. Waiting deliveries go to the new URL.
 * While the webhook is disabled, nothing is sent to it, and events in that time are never sent.
 *
 * @throws AppError FIELD_INVALID; ADDRESS_NOT_ALLOWED; WEBHOOK_NOT_FOUND; APPLICATION_NOT_FOUND
 */
export async function changeWebhook(
  { database, now, actor }: Change,
  rules: AddressRules,
  key: string,
  { isActive, ...fields }: WebhookChanges,
): Promise<Webhook> {
  const parsed = parseWebhookFields(fields, rules);
  return database.transaction(async (tx) => {
    const before = await getLockedWebhook(tx, key);
    if (parsed.app) await getApplication(tx, parsed.app);
    const differs = (name: keyof WebhookColumns) => parsed[name] !== undefined && parsed[name] !== before[name];
    const columns: Partial<WebhookColumns> = Object.fromEntries(
      columnNames.filter(differs).map((name) => [name, parsed[name]]),
    );
    const changesState = isActive !== undefined && isActive !== (before.disabled_at === null);
    const changed = [...Object.keys(columns), ...(changesState ? ['is_active'] : [])];
    if (changed.length === 0) return toWebhook(before);
    const state = changesState ? { disabled_at: isActive ? null : now, failing_since: null } : {};
    const row = await updateWebhook.first(tx, { id: before.id, ...columns, ...state });
    if (!row) throw new AppError('WEBHOOK_NOT_FOUND', { id: key });
    const details = { id: key, change: changeWord(changed, isActive), fields: changed } as const;
    await recordEvent(tx, { type: 'webhook.changed', actor, subject: null, details });
    return toWebhook(row);
  });
}
