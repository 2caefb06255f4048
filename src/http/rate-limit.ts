import {
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { Database } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';

/** How many requests one client may make in a window. Rows with the same name share one budget. */
export interface Limit {
  name: string;
  points: number;
  windowSeconds: number;
  /** What a client beyond it is told. */
  error: ErrorName;
}

export interface LimitState {
  limit: number;
  remaining: number;
  resetSeconds: number;
}

export interface RateLimiter {
  /** Counts one request. Throws the limit's error, with the seconds to wait, when the budget is used up. */
  consume(limit: Limit, key: string): Promise<LimitState>;
}

type Counter = RateLimiterMemory | RateLimiterCluster | RateLimiterPostgres;

function createCounter(limit: Limit, database: Database, isWorker: boolean): Counter {
  const options = { keyPrefix: limit.name, points: limit.points, duration: limit.windowSeconds };
  if (!database.pool && isWorker) return new RateLimiterCluster(options);
  const memory = new RateLimiterMemory(options);
  if (!database.pool) return memory;
  return new RateLimiterPostgres({
    ...options,
    storeClient: database.pool,
    tableName: 'rate_limits',
    tableCreated: true,
    clearExpiredByTimeout: false,
    insuranceLimiter: memory,
  });
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/**
 * Makes the limiter: on PostgreSQL its counters lie there, so that all processes share one budget, and each process
 * counts alone while the database is away; on SQLite they lie in the memory of the process that serves, or of the
 * primary process of its workers.
 */
export function createRateLimiter(database: Database, isWorker = false): RateLimiter {
  const counters = new Map<string, Counter>();
  const counterOf = (limit: Limit): Counter => {
    const counter = counters.get(limit.name) ?? createCounter(limit, database, isWorker);
    counters.set(limit.name, counter);
    return counter;
  };
  return {
    consume: async (limit, key) => {
      try {
        const { remainingPoints, msBeforeNext } = await counterOf(limit).consume(key);
        return { limit: limit.points, remaining: remainingPoints, resetSeconds: secondsOf(msBeforeNext) };
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new AppError(limit.error, { retryAfterSeconds: secondsOf(refusal.msBeforeNext), limit: limit.points });
      }
    },
  };
}

/** In the primary process: counts for workers that have no PostgreSQL to count in. */
export function countForWorkers(): void {
  new RateLimiterClusterMaster();
}

/** The limiter of RATE_LIMITS=off. */
export const noRateLimiter: RateLimiter = {
  consume: async (limit) => ({ limit: limit.points, remaining: limit.points, resetSeconds: limit.windowSeconds }),
};
