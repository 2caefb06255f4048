import type { SampleText } from '../../../ui/define-page.ts';
import type { MonitoredQuery, QueryMonitorPage } from './page.ts';

export function samples(text: SampleText): Record<string, QueryMonitorPage> {
  const request = { method: text('GET'), url: text('/authsvc/accounts') };
  const query: MonitoredQuery = {
    number: 2,
    time: '2026-01-02T03:04:05.006Z',
    name: text('sessions.byId'),
    query: text('select "id" from "sessions" where "id" = ?'),
    values: [text('"c5a7c1e2-0b8d-4f0e-9d1c-6a1f2b3c4d5e"')],
    durationMs: 1.25,
    success: true,
    error: null,
    ofRequest: { id: text('q7Kx2MfA-1c'), position: 1, queries: 2 },
    request: { ...request, ip: text('192.0.2.17'), user_id: 7, username: text('ada') },
    pool: { total: 1, idle: 1, waiting: 0 },
    callsite: { function: text('findSession'), file: text('src/sessions/find-session.ts'), line: 41, column: 7 },
  };
  const failed: MonitoredQuery = { ...query, number: 1, success: false, error: text('no such table: sessions') };
  const ofService: MonitoredQuery = {
    ...query,
    number: 3,
    values: [],
    ofRequest: undefined,
    request: null,
    callsite: { function: null, file: null, line: null, column: null },
  };
  const busy: QueryMonitorPage = {
    limit: 50,
    count: 3,
    failed: 1,
    longestMs: 1.25,
    mayReset: true,
    wasReset: true,
    requests: [{ id: text('q7Kx2MfA-1c'), ...request, queries: 2, durationMs: 1.5 }],
    queries: [ofService, query, failed],
  };
  return {
    busy,
    empty: { ...busy, count: 0, failed: 0, longestMs: 0, mayReset: false, wasReset: false, requests: [], queries: [] },
  };
}
