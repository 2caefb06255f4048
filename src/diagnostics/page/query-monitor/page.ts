import { definePage } from '../../../ui/define-page.ts';
import type { QueryEntry } from '../../schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** A request that made at least one of the shown queries. */
interface ShownRequest {
  id: string;
  method: string;
  url: string;
  queries: number;
  durationMs: number;
}

/** A query of the log, prepared for the page. */
export interface MonitoredQuery extends Omit<QueryEntry, 'values'> {
  number: number;
  /** Each value as JSON text. */
  values: string[];
  /**
   * The request that made this query, the number of its queries, and the position of this query among them, counted
   * from 1.
   */
  ofRequest: { id: string; position: number; queries: number } | undefined;
}

/** The data of the page, for its template. */
export interface QueryMonitorPage extends MonitorState {
  /** The requests that made the shown queries, sorted by number of queries, highest first. */
  requests: ShownRequest[];
  /** Newest first. */
  queries: MonitoredQuery[];
}

export const queryMonitorPage = definePage({
  name: 'query-monitor',
  texts: { en, de },
  script: {
    ids: ['tools', 'filter', 'slowest', 'failures', 'pause', 'live', 'found', 'form-error', 'queries', 'none'],
    showsRefusals: true,
  },
  samples,
});

interface KeptQuery {
  number: number;
  durationMs: number;
  request: { id: string; method: string; url: string } | undefined;
}

interface MonitorState {
  /** Maximum number of queries to show, as requested. */
  limit: number;
  /** Since the start or the last reset: number of queries, number of failed ones, and duration of the slowest. */
  count: number;
  failed: number;
  longestMs: number;
  mayReset: boolean;
  wasReset: boolean;
}

/** The position of a query in its request, counted from 1. */
interface Place {
  request: ShownRequest;
  position: number;
}

/** Returns the position of each query in its request, by the query's number. `kept` is sorted newest first. */
function findPlaces(kept: readonly KeptQuery[]): Map<number, Place> {
  const requests = new Map<string, ShownRequest>();
  const places = new Map<number, Place>();
  for (const { request: trace, durationMs, number } of [...kept].reverse()) {
    if (!trace) continue;
    const { id, method, url } = trace;
    const request = requests.get(id) ?? { id, method, url, queries: 0, durationMs: 0 };
    requests.set(id, request);
    request.queries += 1;
    request.durationMs += durationMs;
    places.set(number, { request, position: request.queries });
  }
  return places;
}

/**
 * Returns the data of the query monitor.
 *
 * @param kept all queries in the log, newest first; the positions count only queries of this list
 * @param shown the queries that the page lists
 */
export function queryMonitorPageData(
  kept: readonly KeptQuery[],
  shown: readonly { number: number; entry: QueryEntry }[],
  state: MonitorState,
): QueryMonitorPage {
  const places = findPlaces(kept);
  const requests = new Set(shown.flatMap(({ number }) => places.get(number)?.request ?? []));
  return {
    ...state,
    // Requests with the most queries come first.
    requests: [...requests].sort((a, b) => b.queries - a.queries || b.durationMs - a.durationMs),
    queries: shown.map(({ number, entry }) => {
      const place = places.get(number);
      const ofRequest = place && { id: place.request.id, position: place.position, queries: place.request.queries };
      return { ...entry, number, ofRequest, values: entry.values.map((value) => JSON.stringify(value)) };
    }),
  };
}
