import { setTimeout as rest } from 'node:timers/promises';
import { sql } from 'kysely';
import { DAY_MS, MINUTE_MS } from '../lib/clock.ts';
import type { Database, Handle } from './handle.ts';
import type { Query } from './query.ts';

const MAX_AT_ONCE = 100;
/** Pause between two portions, so that other work can use the database and the process. */
const REST_MS = 5;
/** How long expired rows stay. Deleting them at their expiry would send needless notifications (migration 0007). */
const LEFT_ALONE_MS = 2 * MINUTE_MS;

/** Limits of one portion: at most `most` rows, all of which expired before `now`. */
export interface Portion {
  now: number;
  most: number;
}

/** A query that deletes one portion of the expired rows. */
export type Cleaner = Query<Portion, unknown>;

/** How often rows are deleted, and how long they stay after their expiry. */
export interface CleaningPlan {
  everyMs: number;
  /** How long rows stay after they expire. */
  keptMs: number;
  /** Whether the first run starts at once. Otherwise it starts after `everyMs`. */
  beginsAtOnce: boolean;
  /** Number of the advisory lock for this work, on PostgreSQL. */
  lock: number;
}

/** Plan for rows that are useless once they have expired. */
const expired: CleaningPlan = {
  everyMs: 5 * MINUTE_MS,
  keptMs: LEFT_ALONE_MS,
  beginsAtOnce: false,
  lock: 7_041_776_201,
};

/** Returns the plan for rows that are kept for a number of days. */
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
 * Returns whether this process may clean until `tx` ends. On PostgreSQL only one process may at a time. On SQLite `tx`
 * already holds the write lock.
 */
async function takeTurn(tx: Handle, lock: number): Promise<boolean> {
  if (tx.kind === 'sqlite') return true;
  const { rows } = await sql<{ isMine: boolean }>`select pg_try_advisory_xact_lock(${lock}) as "isMine"`.execute(
    tx.kysely,
  );
  return rows[0]?.isMine ?? false;
}

/**
 * Runs each cleaner until it deletes less than a full portion.
 *
 * Each portion has its own transaction, so that no other work waits long for a row or for the database. If another process
 * is already cleaning, this one does nothing.
 *
 * @param goesOn called before each portion; cleaning ends if it returns false
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
 * Returns the time with which cleaning compares the expiry of rows.
 *
 * Deletion cannot be undone. So a process whose clock is ahead must not delete rows that are still valid for the others.
 *
 * @returns the time of this process or of the PostgreSQL server, whichever is earlier
 */
export async function earlierTime({ database, now }: Pick<CleaningParts, 'database' | 'now'>): Promise<number> {
  if (database.kind === 'sqlite') return now();
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(database.kysely);
  return Math.min(now(), ...rows.map((row) => Number(row.now)));
}

/** Cleans periodically until the returned function is called. */
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
