import type { PageData } from '../ui/render.ts';
import type { QueryEntry } from './wire.ts';

interface ShownQuery {
  logged: { number: number; request: { id: string } | undefined };
  entry: QueryEntry;
}

interface MonitorState {
  limit: number;
  count: number;
  mayReset: boolean;
  wasReset: boolean;
}

type ShownRequest = PageData['query-monitor']['requests'][number];

/** The requests of the shown queries, those with the most queries first. */
function countRequests(queries: readonly ShownQuery[]): ShownRequest[] {
  const requests = new Map<string, ShownRequest>();
  for (const { logged, entry } of queries) {
    if (!logged.request || !entry.request) continue;
    const { method, url } = entry.request;
    const known = requests.get(logged.request.id) ?? { id: logged.request.id, method, url, queries: 0, durationMs: 0 };
    const durationMs = known.durationMs + entry.durationMs;
    requests.set(known.id, { ...known, queries: known.queries + 1, durationMs });
  }
  return [...requests.values()].sort((a, b) => b.queries - a.queries || b.durationMs - a.durationMs);
}

/** The query monitor. */
export function monitorPage(queries: readonly ShownQuery[], state: MonitorState): PageData['query-monitor'] {
  const requests = countRequests(queries);
  const countOf = new Map(requests.map(({ id, queries: count }) => [id, count]));
  return {
    ...state,
    requests,
    queries: queries.map(({ logged, entry }) => ({
      ...entry,
      number: logged.number,
      requestId: logged.request?.id,
      ofRequest: countOf.get(logged.request?.id ?? '') ?? 0,
      values: entry.values.map((value) => JSON.stringify(value)),
    })),
  };
}
