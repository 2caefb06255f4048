import { FedChanges } from '../db/changes.ts';
import type { Database } from '../db/handle.ts';
import { describeDatabaseFault } from '../db/reasons.ts';
import { steadyClock, systemClock } from '../lib/clock.ts';
import type { Settings } from '../settings/table.ts';
import { type Finding, failure, fine, skipped } from './finding.ts';

/** Starts a change feed as the service does. Resolves when the feed works; throws the reason if it does not. */
async function tryFeed(database: Database, url: string): Promise<void> {
  const { startChangeFeed } = await import('../db/change-feed.ts');
  const changes = new FedChanges({ clock: systemClock, steady: steadyClock });
  let stop: (() => Promise<void>) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const log = {
        info: () => resolve(),
        warn: (facts: object) => reject('err' in facts ? facts.err : undefined),
      };
      stop = startChangeFeed({ url, database, changes, steady: steadyClock, log });
    });
  } finally {
    await stop?.();
  }
}

/** Checks that a message sent on one connection arrives on another one, as notifications of changes must. */
export async function checkChangeFeed(database: Database, settings: Settings): Promise<Finding> {
  if (database.kind === 'sqlite') return skipped('SQLite needs no change feed.');
  try {
    await tryFeed(database, settings.DATABASE_LISTEN_URL ?? settings.DATABASE_URL);
    return fine('Notifications from other database connections arrive.');
  } catch (error) {
    return failure(
      `The change feed cannot be opened: ${describeDatabaseFault(database.place, error)}.`,
      'Set DATABASE_LISTEN_URL to an address that reaches the same database directly, not through a pooler.',
    );
  }
}
