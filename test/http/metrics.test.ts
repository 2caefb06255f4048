import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test, vi } from 'vitest';
import { read as page, project } from '../docs/pages.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { scrape } from '../support/metrics.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { whileSessionsAreAway } from '../support/table-away.ts';
import { sharedApp } from './support.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PATIENCE = { timeout: 60_000, interval: 20 };

function portOf(app: TestApp): number {
  const line = app.log().find(({ msg }) => String(msg).startsWith('metrics are at'));
  return Number(/:(\d+)\/metrics$/.exec(String(line?.msg))?.[1]);
}

eachDatabase('the metrics', (database) => {
  const app = sharedApp({ database, settings: { METRICS_PORT: '0', MAIN_SECRET_TOKEN: '' } });
  const read = (options = {}) => scrape(portOf(app()), options);
  /** Runs `work`. Returns a function that returns by how much `work` has increased the sum of a metric. */
  async function raised(work: () => Promise<unknown>) {
    const before = await read();
    await work();
    const after = await read();
    return (name: string, labels?: Record<string, string>) => after.sum(name, labels) - before.sum(name, labels);
  }

  test('are on a port of their own, with /healthz and nothing else', async () => {
    expect(await read()).toMatchObject({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    expect(await read({ path: '/healthz' })).toMatchObject({ status: 200, text: '{"status":"ok"}' });
    expect((await read({ method: 'HEAD' })).text).toBe('');
    const others = ['/', '/metrics/x', '/metricsx', '/authsvc/login', '/readyz'];
    const statuses = await Promise.all(others.map(async (path) => (await read({ path })).status));
    expect(statuses).toEqual(others.map(() => 404));
    expect((await read({ method: 'POST' })).status).toBe(404);
    expect((await app().client().get('/metrics')).status).toBe(404);
  });

  test('can be read by Prometheus, in both formats', async () => {
    await app().client().login({ username: 'nobody', password: 'wrong' });
    const { text, series } = await read();
    const { stdout, stderr, status, error } = spawnSync('promtool', ['check', 'metrics'], { input: text });

    expect(error).toBeUndefined();
    const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line.startsWith('authsvc_'));
    expect(complaints).toEqual([]);
    expect(status).not.toBe(1);
    const open = await read({ accept: 'application/openmetrics-text; version=1.0.0' });
    expect(open.type).toMatch(/^application\/openmetrics-text; version=1\.0\.0/);
    expect(open.text.endsWith('\n# EOF\n')).toBe(true);
    expect(open.text).toContain('# TYPE authsvc_http_requests counter\n');
    // Some metrics of Node.js are missing at times, so they are not compared.
    const isSteady = (name: string) => !name.startsWith('nodejs_eventloop');
    const namesOf = (all: typeof series) => [...new Set(all.map(({ name }) => name))].filter(isSteady).sort();
    expect(namesOf(open.series)).toEqual(namesOf(series));
  });

  test('the alert rules are valid for Prometheus, and name existing metrics', async () => {
    const rules = `${project}/docs/monitoring/alerts.yml`;
    const checked = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' });

    expect([checked.error, checked.status, checked.stderr]).toEqual([undefined, 0, '']);
    const { text } = await read();
    const files = ['docs/monitoring/alerts.yml', 'docs/monitoring/dashboard.json', 'docs/monitoring.md'];
    const named = files.flatMap((file) => [...page(file).matchAll(/\bauthsvc_[a-z_]+[a-z]\b/g)]);
    const families = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const unknown = named
      .map(([name]) => name.replace(/_(bucket|count|sum)$/, ''))
      .filter((name) => !families.has(name));
    expect([...new Set(unknown)]).toEqual([]);
  });

  test('count requests by the pattern of their route, and unknown paths without one', async () => {
    const client = app().client();
    const by = await raised(async () => {
      await client.get('/authsvc/api/checkSession');
      await client.get('/authsvc/cli/device/ABCD?secret=1');
      await client.request('DELETE', '/authsvc/api/login');
      await client.request('PURGE', '/authsvc/api/login');
      await client.get('/no/such/address');
      await client.request('PATCH', '/authsvc/api/authz/forward-auth');
    });

    const requests = (method: string, route: string, status: string) =>
      by('http_requests_total', { method, route, status });
    expect(requests('GET', '/authsvc/api/checkSession', '2xx')).toBe(1);
    expect(requests('DELETE', '/authsvc/api/login', '4xx')).toBe(1);
    expect(requests('other', '/authsvc/api/login', '4xx')).toBe(1);
    expect(requests('GET', 'unmatched', '4xx')).toBe(1);
    expect(requests('PATCH', '/authsvc/api/authz/forward-auth', '4xx')).toBe(1);
    expect(by('http_requests_total')).toBe(6);
    expect(by('http_request_duration_seconds_count')).toBe(6);
    expect(by('http_request_duration_seconds_count', { class: 'check' })).toBe(2);
  });

  test('count a request exactly once if its client leaves before the reply', async () => {
    const { username } = await app().seedUser();
    const body = JSON.stringify({ username, password: 'wrong-horse-7' });
    const before = await read();
    const socket = connect(app().port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /authsvc/api/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length + 1}\r\n\r\n${body}`,
    );
    await vi.waitFor(async () => expect((await read()).sum('connections')).toBeGreaterThan(0), PATIENCE);
    socket.destroy();

    const labels = { method: 'POST', route: '/authsvc/api/login' };
    await vi.waitFor(async () => {
      const after = await read();
      expect(after.sum('http_requests_total', labels) - before.sum('http_requests_total', labels)).toBe(1);
    }, PATIENCE);
    const after = await read();
    expect(after.sum('http_requests_total', { ...labels, status: 'aborted' })).toBe(1);
  });

  test('count session checks by their answer', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    const { token } = await createToken(client);
    const stranger = app().client();
    const by = await raised(async () => {
      for (let i = 0; i < 3; i += 1) await client.get('/authsvc/api/checkSession');
      await client.get('/authsvc/validate-superadmin');
      await stranger.get('/authsvc/api/checkSession');
      await stranger.post('/authsvc/api/verifySession', { session_id: 'garbage' });
      await stranger.post('/api/tokens/verify', { token });
      await stranger.post('/api/tokens/verify', { token: `tok_${'0'.repeat(64)}` });
      await client.get('/authsvc/login');
    });

    expect(by('session_checks_total', { answer: 'valid' })).toBe(4);
    expect(by('session_checks_total', { answer: 'invalid' })).toBe(2);
    expect(by('session_checks_total', { source: 'database' })).toBeGreaterThanOrEqual(0);
    expect(by('token_checks_total', { answer: 'valid' })).toBe(1);
    expect(by('token_checks_total', { answer: 'invalid' })).toBe(1);
  });

  test('count a session check as an error if the database does not answer', async (t) => {
    const own = await startApp(t, { database, settings: { METRICS_PORT: '0' } });
    await whileSessionsAreAway(own, () =>
      own.client().post('/authsvc/api/verifySession', { session_id: '00000000-0000-4000-8000-000000000000' }),
    );

    expect((await scrape(portOf(own))).sum('session_checks_total', { answer: 'error', source: 'database' })).toBe(1);
  });

  test('count sign-ins, refusals, limits, hashes, queries and events', async () => {
    const user = await app().seedUser();
    const by = await raised(async () => {
      await app().signIn(user);
      const client = app().client();
      const guess = { username: user.username, password: 'wrong-horse-7' };
      for (let i = 0; i < 9; i += 1) await client.login(guess, { address: '10.7.7.7' });
    });

    expect(by('sign_ins_total', { method: 'password', outcome: 'success' })).toBe(1);
    expect(by('sign_ins_total', { method: 'password', outcome: 'refused' })).toBe(8);
    expect(by('refusals_total', { reason: 'PASSWORD_INCORRECT' })).toBe(8);
    expect(by('refusals_total', { reason: 'TOO_MANY_LOGINS' })).toBe(1);
    expect(by('rate_limited_total', { limit: 'login' })).toBe(1);
    expect(by('hash_duration_seconds_count')).toBe(9);
    expect(by('hash_wait_seconds_count')).toBe(9);
    expect(by('db_queries_total', { query: 'sessions.insert' })).toBe(1);
    expect(by('db_query_seconds_total', { query: 'sessions.insert' })).toBeGreaterThan(0);
    expect(by('audit_events_total', { event: 'user.signed_in' })).toBe(1);
    await app().services.notes.finish();
    expect((await read()).sum('audit_events_total', { event: 'sign_in.refused' })).toBeGreaterThan(0);
  });

  test('show the state of the process and of the database', async () => {
    await vi.waitFor(async () => expect((await read()).sum('db_up')).toBe(1), PATIENCE);
    await vi.waitFor(async () => expect((await read()).sum('change_feed_up')).toBe(1), PATIENCE);
    const shown = await read();
    expect(shown.sum('workers')).toBe(1);
    expect(shown.sum('audit_dropped_total')).toBe(0);
    const names = new Set(shown.series.map(({ name }) => name));
    for (const name of ['process_cpu_seconds_total', 'process_start_time_seconds', 'nodejs_heap_size_used_bytes'])
      expect(names).toContain(name);
  });

  test('lines of the log name the trace of their request', async () => {
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await app().client().post('/authsvc/api/login', { username: 'nobody', password: 'wrong-horse-7' }, { headers });

    const lines = app()
      .log()
      .filter(({ trace_id: trace }) => trace === TRACE);
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['request', 'audit: sign_in.refused']));
  });
});
