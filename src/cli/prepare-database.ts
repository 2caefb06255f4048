import { prepareDataKeys } from '../db/data-keys.ts';
import type { Database } from '../db/handle.ts';
import { migrate } from '../db/migrate.ts';
import { moveFactorsToDataKey } from '../factors/move-to-data-key.ts';
import { countUsersWithUnreadableFactors } from '../factors/unreadable.ts';
import { createSealer } from '../lib/sealing.ts';

interface Preparation {
  /** The session secrets. */
  secrets: readonly string[];
  now: number;
  /** Whether to create another data key if data keys exist, but the session secrets open none of them. */
  makesFurtherKey: boolean;
}

/**
 * Migrates the tables to this version, and seals the stored secrets for the current session secrets. Any number of processes
 * may do this at the same time.
 *
 * @returns the migrations that this call applied, and the number of users whose second factor cannot be read
 * @throws DatabaseError if the database is newer than this program, or lacks something that the service depends on
 */
export async function prepareDatabase(
  database: Database,
  { secrets, now, makesFurtherKey }: Preparation,
): Promise<{ applied: string[]; unreadable: number }> {
  const applied = await migrate(database);
  const dataSealer = await prepareDataKeys(database, { secrets, now, makesFurtherKey });
  if (dataSealer) await moveFactorsToDataKey({ database, sealer: createSealer(secrets), dataSealer });
  return { applied, unreadable: await countUsersWithUnreadableFactors(database, dataSealer) };
}
