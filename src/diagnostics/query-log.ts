import type { ConnectionCounts, QueryObserver } from '../db/handle.ts';
import type { RequestTrace } from '../http/request-trace.ts';
import type { Clock } from '../lib/clock.ts';
import { type Callsite, findCallsite } from './callsite.ts';
import { maskError, maskValues } from './mask.ts';

/** How many queries are kept; older ones are dropped. */
export const MAX_QUERIES = 1000;

/** A query that ran. */
export interface LoggedQuery {
  /** Its number since the start or the last reset, from 1. */
  number: number;
  /** When it began: ms since the epoch, UTC. */
  at: number;
  name: string;
  sql: string;
  /** With every secret hidden. */
  values: unknown[];
  durationMs: number;
  /** Null: it succeeded. */
  error: string | null;
  /** The request that it ran for; undefined for work of the service itself. */
  request: RequestTrace | undefined;
  /** The counts of connections when it ended. */
  pool: ConnectionCounts;
  /** Where in our source the query was made. */
  callsite(): Callsite;
}

export interface QueryLog {
  /** Watches the queries of a database; `connections` counts its connections. */
  observe(connections: () => ConnectionCounts): QueryObserver;
  /** Of all queries since the start or the last reset: how many ran, how many failed, and how long the slowest took. */
  totals(): { count: number; failed: number; longestMs: number };
  /** The most recent ones, the newest first. */
  recent(limit: number): LoggedQuery[];
  reset(): void;
}

interface QueryLogParts {
  clock: Clock;
  currentRequest(): RequestTrace | undefined;
}

const NO_QUERIES = { count: 0, failed: 0, longestMs: 0 };

/** Keeps the last queries in memory. */
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
      // The stack is written when a person looks at it.
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
    // Queries that run side by side end in another order than they began.
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
