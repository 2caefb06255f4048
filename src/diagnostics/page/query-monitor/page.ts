import { definePage } from '../../../ui/define-page.ts';
import type { QueryEntry } from '../../schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** A request of the shown queries. */
interface ShownRequest {
  id: string;
  method: string;
  url: string;
  queries: number;
  durationMs: number;
}

/** One query, as `QueryEntry` has it. */
export interface MonitoredQuery extends Omit<QueryEntry, 'values'> {
  number: number;
  /** Each as JSON. */
  values: string[];
  /** The request that ran it, how many queries that request ran, and the position of this one, from 1. */
  ofRequest: { id: string; position: number; queries: number } | undefined;
}

/** What the template needs. */
export interface QueryMonitorPage extends MonitorState {
  /** The requests of the shown queries, those with the most queries first. */
  requests: ShownRequest[];
  /** The newest first. */
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
  /** The requested number of queries. */
  limit: number;
  /** How many ran since the start or the last reset, how many of them failed, and how long the slowest took. */
  count: number;
  failed: number;
  longestMs: number;
  mayReset: boolean;
  wasReset: boolean;
}

/** The position of a query in its request, from 1. */
interface Place {
  request: ShownRequest;
  position: number;
}

/** The positions of the queries of a request, by their numbers; `kept` has the newest query first. */
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
 * The data of the query monitor.
 *
 * @param kept every query in the log, the newest first; positions count the kept queries of a request
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
    // Those with the most queries first.
    requests: [...requests].sort((a, b) => b.queries - a.queries || b.durationMs - a.durationMs),
    queries: shown.map(({ number, entry }) => {
      const place = places.get(number);
      const ofRequest = place && { id: place.request.id, position: place.position, queries: place.request.queries };
      return { ...entry, number, ofRequest, values: entry.values.map((value) => JSON.stringify(value)) };
    }),
  };
}
