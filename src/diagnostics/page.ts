import type { PageData } from '../ui/render.ts';
import type { QueryEntry } from './schemas.ts';

interface KeptQuery {
  number: number;
  durationMs: number;
  request: { id: string; method: string; url: string } | undefined;
}

interface MonitorState {
  limit: number;
  count: number;
  failed: number;
  longestMs: number;
  mayReset: boolean;
  wasReset: boolean;
}

type ShownRequest = PageData['query-monitor']['requests'][number];

/** Which one of its request a query is, from 1. */
interface Place {
  request: ShownRequest;
  position: number;
}

/** The places of the queries that ran for a request, by their numbers; `kept` has the newest query first. */
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
 * The query monitor.
 *
 * Needs   kept: every query that is kept, the newest first; shown: those that the page lists. Each is counted among all
 *         that are kept of its request.
 */
export function monitorPage(
  kept: readonly KeptQuery[],
  shown: readonly { number: number; entry: QueryEntry }[],
  state: MonitorState,
): PageData['query-monitor'] {
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
