import { AppError } from '../errors/app-error.ts';
import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { getLockedApplication } from './find-application.ts';
import { updateApplication } from './queries.ts';
import { hashSecret, newSecret } from './secret.ts';

export const DEFAULT_KEEP_HOURS = 24;
const MAX_KEEP_HOURS = 720;

export interface RotatedSecret {
  key: string;
  secret: string;
  /** When the old secret ceases to be valid. Null if it ended at once. */
  oldSecretExpiresAt: number | null;
}

/**
 * Gives an application a new secret. The previous secret stays valid for the given number of hours. An even older one ends
 * at once, so at most two secrets are valid at a time.
 *
 * @param keepOldHours a whole number
 * @throws AppError FIELD_INVALID; APPLICATION_NOT_FOUND; APPLICATION_PUBLIC
 */
export async function rotateSecret(
  { database, now, actor }: Change,
  key: string,
  keepOldHours: number,
): Promise<RotatedSecret> {
  if (!(Number.isInteger(keepOldHours) && keepOldHours >= 0 && keepOldHours <= MAX_KEEP_HOURS))
    throw new AppError('FIELD_INVALID', { field: 'keep_old_hours', maximum: MAX_KEEP_HOURS });
  const secret = newSecret();
  return database.transaction(async (tx) => {
    const row = await getLockedApplication(tx, key);
    if (row.is_public === 1) throw new AppError('APPLICATION_PUBLIC', { key: row.key });
    // An application that was imported without its secret has no previous secret to keep.
    const keepsOld = keepOldHours > 0 && row.secret_hash !== null;
    const oldSecretExpiresAt = keepsOld ? now + keepOldHours * HOUR_MS : null;
    await updateApplication.run(tx, {
      id: row.id,
      secret_hash: hashSecret(secret),
      old_secret_hash: keepsOld ? row.secret_hash : null,
      old_secret_expires_at: oldSecretExpiresAt,
    });
    const details = { key: row.key, change: 'secret_rotated', fields: ['secret'] } as const;
    await recordEvent(tx, { type: 'application.changed', actor, subject: null, details, application: row.key });
    return { key: row.key, secret, oldSecretExpiresAt };
  });
}
