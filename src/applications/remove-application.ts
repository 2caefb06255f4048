import type { Change } from '../events/change.ts';
import { recordEvent } from '../events/record-event.ts';
import { getLockedApplication, type SeenApplication } from './find-application.ts';
import { deleteApplication } from './queries.ts';

/**
 * Removes an application. Its key stays in the lists of users and tokens. So these users and tokens can use an
 * application that is later registered with the same key.
 *
 * @returns the application's key
 * @throws AppError APPLICATION_NOT_FOUND; CHANGED_MEANWHILE if the application has another version now
 */
export function removeApplication(
  { database, actor }: Omit<Change, 'now'>,
  which: string | SeenApplication,
): Promise<string> {
  return database.transaction(async (tx) => {
    const row = await getLockedApplication(tx, which);
    const details = { key: row.key, change: 'removed', fields: [] } as const;
    await recordEvent(tx, { type: 'application.changed', actor, subject: null, details, application: row.key });
    await deleteApplication.run(tx, { id: row.id });
    return row.key;
  });
}
