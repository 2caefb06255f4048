import type { Database } from './handle.ts';
import type { Query } from './query.ts';

const EVERY_MS = 5 * 60_000;
const MOST_AT_ONCE = 500;
/** What has just ended stays for a moment: its removal is no news to any process then (migration 0007). */
const LEFT_ALONE_MS = 2 * 60_000;

/** A query that removes at most so many rows that were over before `now`. */
export type Cleaner = Query<{ now: number; most: number }, unknown>;

interface CleaningParts {
  database: Database;
  now(): number;
  onFailure(error: unknown): void;
}

/** Runs each cleaner again as long as it finds full portions, so that one run does not hold the database for long. */
export async function clean(
  { database, now }: Pick<CleaningParts, 'database' | 'now'>,
  cleaners: readonly Cleaner[],
): Promise<void> {
  for (const cleaner of cleaners) {
    let removed = MOST_AT_ONCE;
    while (removed >= MOST_AT_ONCE) removed = await cleaner.run(database, { now: now(), most: MOST_AT_ONCE });
  }
}

/** Cleans every five minutes until the answered function is called. */
export function startCleaning(parts: CleaningParts, cleaners: readonly Cleaner[]): () => void {
  const { database, onFailure } = parts;
  const now = () => parts.now() - LEFT_ALONE_MS;
  const timer = setInterval(() => void clean({ database, now }, cleaners).catch(onFailure), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
