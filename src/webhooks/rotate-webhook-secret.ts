import { AppError } from '../errors/app-error.ts';
import { recordEvent } from '../events/record-event.ts';
import { HOUR_MS } from '../lib/clock.ts';
import type { WebhookChange } from './add-webhook.ts';
import { getLockedWebhook } from './find-webhook.ts';
import { updateWebhook } from './queries.ts';
import { newWebhookSecret, sealSecret } from './secret.ts';

export const DEFAULT_KEEP_HOURS = 24;
const MAX_KEEP_HOURS = 720;

/** The new secret of a webhook, which is shown only once. */
export interface RotatedWebhookSecret {
  secret: string;
  /** Until when the old secret also signs messages; null if it stopped at once. */
  oldSecretExpiresAt: number | null;
}

/**
 * Gives a webhook a new secret. For some hours, messages have two signatures, one by the new secret and one by the old
 * secret. A still older secret stops at once.
 *
 * @param keepOldHours how long the old secret also signs, as a whole number
 * @throws AppError FIELD_INVALID; WEBHOOK_NOT_FOUND
 */
export async function rotateWebhookSecret(
  { database, now, actor, dataSealer }: WebhookChange,
  key: string,
  keepOldHours: number,
): Promise<RotatedWebhookSecret> {
  if (!(Number.isInteger(keepOldHours) && keepOldHours >= 0 && keepOldHours <= MAX_KEEP_HOURS))
    throw new AppError('FIELD_INVALID', { field: 'keep_old_hours', maximum: MAX_KEEP_HOURS });
  const secret = newWebhookSecret();
  const oldSecretExpiresAt = keepOldHours === 0 ? null : now + keepOldHours * HOUR_MS;
  return database.transaction(async (tx) => {
    const { id, sealed_secret: former } = await getLockedWebhook(tx, key);
    await updateWebhook.run(tx, {
      id,
      sealed_secret: sealSecret(dataSealer, secret),
      old_sealed_secret: oldSecretExpiresAt === null ? null : former,
      old_secret_until: oldSecretExpiresAt,
    });
    const details = { id: key, change: 'secret_rotated', fields: ['secret'] } as const;
    await recordEvent(tx, { type: 'webhook.changed', actor, subject: null, details });
    return { secret, oldSecretExpiresAt };
  });
}
