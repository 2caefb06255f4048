import { renderPage } from '../http/page.ts';
import { htmlReply } from '../http/reply.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { refuseForeignReset, requireDbLogs } from './guards.ts';
import { queryMonitorPage, queryMonitorPageData } from './page/query-monitor/page.ts';
import { MAX_QUERIES, type QueryLog } from './query-log.ts';
import { monitorQuery, parseLimit, queryReport, reportQuery, resetReply, toEntry } from './schemas.ts';

/** Returns the routes of the query monitor. The service has them only with env=dev. */
export function diagnosticRoutes(log: Pick<QueryLog, 'totals' | 'recent' | 'reset'>): AnyRoute[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/authsvc/db',
      operationId: 'showQueryMonitor',
      summary: 'Show the query monitor; only with env=dev',
      kind: 'page',
      query: monitorQuery,
      replies: { 200: htmlReply },
      handle: async (call) => {
        const { query, services } = call;
        const limit = parseLimit(query.limit);
        const kept = log.recent(MAX_QUERIES);
        const shown = kept.slice(0, limit).map((logged) => ({ number: logged.number, entry: toEntry(logged) }));
        const state = {
          limit,
          ...log.totals(),
          mayReset: services.settings.dbLogs,
          wasReset: query.resetDone === '1',
        };
        return renderPage(call, queryMonitorPage, queryMonitorPageData(kept, shown, state));
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/authsvc/db.json',
      operationId: 'getQueryReport',
      summary: 'Return the latest database queries with their durations; reset=1 empties the list; only with env=dev',
      kind: 'json',
      guards: [refuseForeignReset],
      query: reportQuery,
      replies: { 200: queryReport },
      handle: async ({ query, request }) => {
        const resetDone = query.reset === '1' && request.method === 'GET';
        if (resetDone) log.reset();
        const queryLimit = parseLimit(query.limit);
        return { queryCount: log.totals().count, queryLimit, resetDone, queryLog: log.recent(queryLimit).map(toEntry) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/authsvc/db/reset',
      operationId: 'resetQueryLog',
      summary: 'Empty the list of database queries; only with env=dev and dbLogs=true',
      kind: 'json',
      guards: [requireDbLogs],
      replies: { 200: resetReply },
      handle: async () => {
        log.reset();
        return { success: true, message: 'The query log is empty now' };
      },
    }),
  ];
}
