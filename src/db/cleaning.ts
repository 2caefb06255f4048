import { setTimeout as rest } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts';
import type { Database, Handle } from './handle.ts';
import type { Query } from './query.ts';

const MAX_AT_ONCE = 100;
/** The pause between two portions, so that other work gets the database and this process. */
const REST_MS = 5;
/** Expired rows stay for a moment, so that deleting them sends no notification (migration 0007). */
const LEFT_ALONE_MS = 2 * MINUTE_MS;

/** At most `most` of the rows that expired before `now`. */
export interface Portion {
  now: number;
  most: number;
}

/** A query that deletes a portion of the expired rows. */
export type Cleaner = Query<Portion, unknown>;

/** When rows are deleted, and how old they are by then. */
export interface CleaningPlan {
  everyMs: number;
  /** Rows stay this long after they expire. */
  keptMs: number;
  /** Whether the first round begins at once. */
  beginsAtOnce: boolean;
  /** Names the work among the advisory locks of a PostgreSQL database. */
  lock: number;
}

/** For rows that are useless once they expire. */
const expired: CleaningPlan = {
  everyMs: 5 * MINUTE_MS,
  keptMs: LEFT_ALONE_MS,
  beginsAtOnce: false,
  lock: 7_041_776_201,
};

/** For rows that are kept for a number of days. */
export const retention = (days: number): CleaningPlan => ({
  everyMs: 60 * MINUTE_MS,
  keptMs: days * DAY_MS + LEFT_ALONE_MS,
  beginsAtOnce: true,
  lock: 7_041_776_202,
});

interface CleaningParts {
  database: Database;
  now(): number;
  onFailure(error: unknown): void;
}

/**
 * Whether this process may clean until `tx` ends: on PostgreSQL one process at a time, on SQLite the one that writes.
 */
async function takeTurn(tx: Handle, lock: number): Promise<boolean> {
  if (tx.kind === 'sqlite') return true;
  const { rows } = await sql<{ isMine: boolean }>`select pg_try_advisory_xact_lock(${lock}) as "isMine"`.execute(
    tx.kysely,
  );
  return rows[0]?.isMine ?? false;
}

/**
 * Runs each cleaner as long as it finds full portions.
 *
 * Each portion has its own transaction, so no other work waits long for a row or for the database. If another process is
 * already cleaning, this one does nothing.
 *
 * @param goesOn asked before each portion
 */
export async function clean(
  { database, now }: Pick<CleaningParts, 'database' | 'now'>,
  cleaners: readonly Cleaner[],
  { goesOn = () => true, lock = expired.lock }: { goesOn?: () => boolean; lock?: number } = {},
): Promise<void> {
  const removePortion = (cleaner: Cleaner) =>
    database.transaction(async (tx) =>
      (await takeTurn(tx, lock)) ? cleaner.run(tx, { now: now(), most: MAX_AT_ONCE }) : 'not our turn',
    );
  for (const cleaner of cleaners) {
    let removed: number | 'not our turn' = MAX_AT_ONCE;
    while (removed === MAX_AT_ONCE && goesOn()) {
      removed = await removePortion(cleaner);
      await rest(REST_MS);
    }
    if (removed === 'not our turn') return;
  }
}

/**
 * The current time, as cleaning compares it with the ends of rows.
 *
 * A deleted row does not come back, so a machine whose clock is ahead must not delete rows that still count for all others.
 *
 * @returns the earlier one of the time of this process and that of a PostgreSQL server
 */
export async function earlierTime({ database, now }: Pick<CleaningParts, 'database' | 'now'>): Promise<number> {
  if (database.kind === 'sqlite') return now();
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(database.kysely);
  return Math.min(now(), ...rows.map((row) => Number(row.now)));
}

/** Cleans again and again until the returned function is called. */
export function startCleaning(
  parts: CleaningParts,
  cleaners: readonly Cleaner[],
  { everyMs, keptMs, beginsAtOnce, lock }: CleaningPlan = expired,
): () => void {
  const { database, onFailure } = parts;
  let isStopped = false;
  const goesOn = () => !isStopped;
  const cleanOnce = async () => {
    const time = await earlierTime(parts);
    await clean({ database, now: () => time - keptMs }, cleaners, { goesOn, lock });
  };
  const cleanNow = () => void cleanOnce().catch(onFailure);
  if (beginsAtOnce) cleanNow();
  const timer = setInterval(cleanNow, everyMs);
  timer.unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
