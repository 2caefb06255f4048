import { setTimeout as rest } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Handle } from './handle.ts';
import type { Query } from './query.ts';

const EVERY_MS = 5 * 60_000;
const MAX_AT_ONCE = 100;
/** Between two portions, for those who wait for the database or for this process. */
const REST_MS = 5;
/** Names the work among the advisory locks of a PostgreSQL database. */
const LOCK = 7_041_776_201;
/** What has just ended stays for a moment: its removal is no news to any process then (migration 0007). */
const LEFT_ALONE_MS = 2 * 60_000;

/** A query that removes at most so many rows that were over before `now`. */
export type Cleaner = Query<{ now: number; most: number }, unknown>;

interface CleaningParts {
  database: Database;
  now(): number;
  onFailure(error: unknown): void;
}

/** Whether this process may clean until `tx` ends: on PostgreSQL one of them all, on SQLite whoever writes. */
async function takeTurn(tx: Handle): Promise<boolean> {
  if (tx.kind === 'sqlite') return true;
  const { rows } = await sql<{ isMine: boolean }>`select pg_try_advisory_xact_lock(${LOCK}) as "isMine"`.execute(
    tx.kysely,
  );
  return rows[0]?.isMine ?? false;
}

/**
 * Runs each cleaner as long as it finds full portions.
 *
 * Needs   goesOn: asked before each portion.
 * Why     each portion is a transaction of its own, so that nobody waits long for a row or for the database; another
 *         process that cleans at this moment is left to it.
 */
export async function clean(
  { database, now }: Pick<CleaningParts, 'database' | 'now'>,
  cleaners: readonly Cleaner[],
  goesOn: () => boolean = () => true,
): Promise<void> {
  const removePortion = (cleaner: Cleaner) =>
    database.transaction(async (tx) =>
      (await takeTurn(tx)) ? cleaner.run(tx, { now: now(), most: MAX_AT_ONCE }) : 'not our turn',
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

/** Cleans every five minutes until the answered function is called. */
export function startCleaning(parts: CleaningParts, cleaners: readonly Cleaner[]): () => void {
  const { database, onFailure } = parts;
  const now = () => parts.now() - LEFT_ALONE_MS;
  let isStopped = false;
  const goesOn = () => !isStopped;
  const timer = setInterval(() => void clean({ database, now }, cleaners, goesOn).catch(onFailure), EVERY_MS);
  timer.unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}
