import cluster from 'node:cluster';
import process from 'node:process';
import { LRUCache } from 'lru-cache';
import type { Database } from '../db/handle.ts';
import { unobserved } from '../db/unobserved.ts';
import type { Clock } from '../lib/clock.ts';
import { countRateLimit } from './queries.ts';

/** The state of a time window in which uses are counted. */
export interface Window {
  /** The number of uses in the window, including the one that was just counted. */
  uses: number;
  leftMs: number;
}

/**
 * Counts uses of keys in time windows. A window begins with the first use of its key.
 *
 * A window never ends later than `windowMs` from now. If a stored window does, it began while the clock was ahead,
 * and it is ignored.
 */
export interface Windows {
  count(key: string, windowMs: number): Promise<Window>;
}

const MAX_KEPT = 100_000;

/**
 * Counts in the memory of this process. If there are more than MAX_KEPT windows, the least recently used ones are
 * dropped.
 */
export function memoryWindows(clock: Clock): Windows {
  const windows = new LRUCache<string, { uses: number; endsAt: number }>({ max: MAX_KEPT });
  return {
    count: async (key, windowMs) => {
      const now = clock.now();
      const last = windows.get(key);
      const isOpen = last !== undefined && last.endsAt > now && last.endsAt <= now + windowMs;
      const { uses, endsAt } = isOpen ? last : { uses: 0, endsAt: now + windowMs };
      windows.set(key, { uses: uses + 1, endsAt });
      return { uses: uses + 1, leftMs: endsAt - now };
    },
  };
}

/**
 * Counts in PostgreSQL with the clock of the database, which all processes share. Counts in memory while PostgreSQL
 * is unavailable.
 */
export function postgresWindows(database: Database, clock: Clock): Windows {
  const memory = memoryWindows(clock);
  const counting = unobserved(database);
  return {
    count: async (key, windowMs) => {
      const window = await countRateLimit.first(counting, { key, windowMs }).catch(() => undefined);
      return window ?? memory.count(key, windowMs);
    },
  };
}

interface Question {
  authsvcCount: { id: number; key: string; windowMs: number };
}
interface Answer {
  authsvcCounted: Window & { id: number };
}

const isQuestion = (message: unknown): message is Question =>
  typeof message === 'object' && message !== null && 'authsvcCount' in message;
const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' && message !== null && 'authsvcCounted' in message;

/** Runs in a worker. Counts in the primary process, so that all workers share one count. */
function primaryWindows(): Windows {
  const asked = new Map<number, (window: Window) => void>();
  let last = 0;
  process.on('message', (message) => {
    if (!isAnswer(message)) return;
    const { id, ...window } = message.authsvcCounted;
    asked.get(id)?.(window);
    asked.delete(id);
  });
  return {
    count: (key, windowMs) => {
      last += 1;
      const question: Question = { authsvcCount: { id: last, key, windowMs } };
      return new Promise((resolve) => {
        asked.set(last, resolve);
        process.send?.(question);
      });
    },
  };
}

/** Returns windows in which all processes that serve the same port share one count. */
export function windowsFor(parts: { database: Database; clock: Clock; isWorker: boolean }): Windows {
  const { database, clock, isWorker } = parts;
  if (database.kind === 'postgres') return postgresWindows(database, clock);
  return isWorker ? primaryWindows() : memoryWindows(clock);
}

/** Runs in the primary process. Counts for its workers if they do not use PostgreSQL. */
export function countForWorkers(clock: Clock): void {
  const windows = memoryWindows(clock);
  cluster.on('message', async (worker, message: unknown) => {
    if (!isQuestion(message)) return;
    const { id, key, windowMs } = message.authsvcCount;
    const answer: Answer = { authsvcCounted: { id, ...(await windows.count(key, windowMs)) } };
    if (worker.isConnected()) worker.send(answer, () => undefined);
  });
}
