import type { ConnectionCounts, QueryObserver } from '../db/handle.ts';
import type { RequestTrace } from '../http/request-trace.ts';
import type { Clock } from '../lib/clock.ts';
import { type Callsite, findCallsite } from './callsite.ts';
import { maskError, maskValues } from './mask.ts';

/** Maximum number of queries in the log. Older ones are dropped. */
export const MAX_QUERIES = 1000;

/** A query that has been executed. */
export interface LoggedQuery {
  /** Number of the query since the start or the last reset, counted from 1. */
  number: number;
  /** When the query started, in milliseconds since the epoch, UTC. */
  at: number;
  name: string;
  sql: string;
  /** The values of the placeholders, with every secret hidden. */
  values: unknown[];
  durationMs: number;
  /** Message of the error; null if the query succeeded. */
  error: string | null;
  /** The request that made the query; undefined for work of the service itself. */
  request: RequestTrace | undefined;
  /** The connection counts at the end of the query. */
  pool: ConnectionCounts;
  /** Returns the position in our source that made the query. */
  callsite(): Callsite;
}

export interface QueryLog {
  /** Returns an observer that logs the queries of a database. `connections` returns its connection counts. */
  observe(connections: () => ConnectionCounts): QueryObserver;
  /** Returns totals since the start or the last reset: number of queries, number of failures, duration of the slowest. */
  totals(): { count: number; failed: number; longestMs: number };
  /** Returns the most recent queries, newest first. */
  recent(limit: number): LoggedQuery[];
  reset(): void;
}

interface QueryLogParts {
  clock: Clock;
  currentRequest(): RequestTrace | undefined;
}

const NO_QUERIES = { count: 0, failed: 0, longestMs: 0 };

/** Creates a log that keeps the latest queries in memory. */
export function createQueryLog({ clock, currentRequest }: QueryLogParts): QueryLog {
  let entries: LoggedQuery[] = [];
  let totals = NO_QUERIES;
  const add = (entry: Omit<LoggedQuery, 'number'>) => {
    const { count, failed, longestMs } = totals;
    totals = {
      count: count + 1,
      failed: failed + (entry.error === null ? 0 : 1),
      longestMs: Math.max(longestMs, entry.durationMs),
    };
    entries.push({ number: totals.count, ...entry });
    if (entries.length > MAX_QUERIES) entries.shift();
  };
  const observe = (connections: () => ConnectionCounts): QueryObserver => ({
    watch: async (query, run) => {
      const { name, sql } = query;
      // Node.js formats the stack only when `stack` is read. So a query costs little until a person looks at it.
      const here = new Error('a query is made here');
      const start = { at: clock.now(), callsite: () => findCallsite(here.stack ?? ''), request: currentRequest() };
      const started = performance.now();
      const finish = (error: string | null) => {
        const durationMs = Math.round((performance.now() - started) * 1000) / 1000;
        add({ ...start, name, sql, values: maskValues(query), durationMs, error, pool: connections() });
      };
      try {
        const result = await run();
        finish(null);
        return result;
      } catch (error) {
        finish(maskError(error, query));
        throw error;
      }
    },
  });
  return {
    observe,
    totals: () => totals,
    // Entries are added when queries end. Sorting by start restores the order of queries that ran at the same time.
    recent: (limit) =>
      entries
        .toSorted((a, b) => a.at - b.at)
        .slice(-limit)
        .reverse(),
    reset: () => {
      entries = [];
      totals = NO_QUERIES;
    },
  };
}
