// Tries the metrics with a real Prometheus: npm run trial:prometheus. Sends the service a known number of requests under
// load while Prometheus scrapes it every second. Then compares the numbers in Prometheus with the numbers sent.
// Prometheus also loads the alert rules of docs/monitoring. Prints a table. Exits with 1 if a number differs, and with 2
// if Prometheus is not installed.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { load, type Shot } from '../bench/load.ts';
import { type Place, type Running, run } from '../bench/running.ts';
import { authsvc, type Store } from '../bench/systems.ts';
import { freePort, startPostgres } from '../test/support/postgres.ts';
import { table } from './docs/markdown.ts';
import { exitWith } from './exit-with.ts';

const project = join(import.meta.dirname, '..');
const PATIENCE_MS = 30_000;
const CONNECTIONS = 16;

/** One kind of request: how many are sent, and which counter must increase by that number. */
interface Work {
  name: string;
  count: number;
  shot: Shot;
  counter: string;
}

const get = (path: string, expect: string): Shot => ({
  text: () => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n`,
  expect,
});

const requests = (route: string, method: string) =>
  `authsvc_http_requests_total{route="${route}",method="${method}",status="2xx"}`;

/** Lists the kinds of requests. A session check may be answered from memory or from the database, and both are counted. */
function worksOf({ shots }: Running): Work[] {
  const { check, verify, token, login } = shots;
  if (!check || !verify || !token || !login) throw new Error('the benchmark has no such requests');
  return [
    { name: 'checkSession', count: 20_000, shot: check, counter: requests('/authsvc/api/checkSession', 'GET') },
    { name: 'verifySession', count: 10_000, shot: verify, counter: requests('/authsvc/api/verifySession', 'POST') },
    { name: 'tokens/verify', count: 10_000, shot: token, counter: requests('/api/tokens/verify', 'POST') },
    { name: 'login', count: 100, shot: login, counter: requests('/authsvc/api/login', 'POST') },
    { name: 'healthz', count: 500, shot: get('/healthz', 'ok'), counter: requests('/healthz', 'GET') },
  ];
}

/** Counters that must increase by the sum of several kinds of requests. */
const sums: { name: string; counter: string; of: readonly string[] }[] = [
  {
    name: 'session checks that were valid',
    counter: 'authsvc_session_checks_total{answer="valid"}',
    of: ['checkSession', 'verifySession'],
  },
  {
    name: 'token checks that were valid',
    counter: 'authsvc_token_checks_total{answer="valid"}',
    of: ['tokens/verify'],
  },
  { name: 'sign-ins', counter: 'authsvc_sign_ins_total{outcome="success"}', of: ['login'] },
  { name: 'events of sign-ins', counter: 'authsvc_audit_events_total{event="user.signed_in"}', of: ['login'] },
  {
    name: 'durations of checks',
    counter: 'authsvc_http_request_duration_seconds_count{class="check"}',
    of: ['checkSession', 'verifySession', 'tokens/verify'],
  },
];

interface Prometheus {
  /** Returns the sum of the series that a selector matches, at the latest scrape. */
  read(selector: string): Promise<number>;
  ruleCount(): Promise<number>;
  stop(): Promise<void>;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns the member at the end of a path of names and indexes. */
function at(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

async function startPrometheus(folder: string, target: number): Promise<Prometheus> {
  const port = await freePort();
  const lines = [
    'global: { scrape_interval: 1s, evaluation_interval: 1s }',
    `rule_files: ["${join(project, 'docs/monitoring/alerts.yml')}"]`,
    'scrape_configs:',
    '  - job_name: authsvc',
    `    static_configs: [{ targets: ["127.0.0.1:${target}"] }]`,
  ];
  await writeFile(join(folder, 'prometheus.yml'), `${lines.join('\n')}\n`);
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'prometheus')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  const child = spawn('prometheus', args, { stdio: 'ignore' });
  const ask = async (path: string): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)).json();
  const stop = async () => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.kill('SIGTERM')) await ended;
  };
  return {
    read: async (selector) => {
      const answer = await ask(`query?query=${encodeURIComponent(`sum(${selector})`)}`);
      return Number(at(answer, 'data', 'result', 0, 'value', 1) ?? 0);
    },
    ruleCount: async () => {
      const groups = at(await ask('rules'), 'data', 'groups');
      const rules = Array.isArray(groups) ? groups.flatMap((group) => at(group, 'rules')) : [];
      return rules.filter((rule) => at(rule, 'health') === 'ok').length;
    },
    stop,
  };
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (await holds().catch(() => false)) return;
    await sleep(200);
  }
  throw new Error(`this did not come about within ${PATIENCE_MS / 1000} s: ${what}`);
}

async function send(port: number, { count, shot }: Work): Promise<void> {
  let left = count;
  const goesOn = () => {
    left -= 1;
    return left >= 0;
  };
  await load({ port, shot, connections: CONNECTIONS, goesOn });
}

/** Sends all kinds of requests. Returns a row for each counter: name, number sent, number counted. */
async function compare(running: Running, prometheus: Prometheus): Promise<[string, number, number][]> {
  const works = worksOf(running);
  const countOf = (name: string) => works.find((work) => work.name === name)?.count ?? 0;
  const expected = [
    ...works.map(({ name, count, counter }) => ({ name, counter, sent: count })),
    ...sums.map(({ name, counter, of }) => ({ name, counter, sent: of.reduce((sum, one) => sum + countOf(one), 0) })),
  ];
  const before = new Map<string, number>();
  for (const { counter } of expected) before.set(counter, await prometheus.read(counter));
  for (const work of works) await send(running.port, work);
  const grown = async (counter: string) => (await prometheus.read(counter)) - (before.get(counter) ?? 0);
  // Waits until a scrape shows all requests. A counter that is too high is found later, when the rows are made, because
  // counters never decrease.
  const newest = expected.map(async ({ counter, sent }) => (await grown(counter)) >= sent);
  await until('a scrape after the last request', async () => (await Promise.all(newest)).every(Boolean)).catch(
    () => undefined,
  );
  const rows: [string, number, number][] = [];
  for (const { name, counter, sent } of expected) rows.push([name, sent, await grown(counter)]);
  return rows;
}

async function tryStore(store: Store, place: Place): Promise<boolean> {
  const metricsPort = await freePort();
  const system = authsvc('authsvc', project, store);
  const running = await run({ ...system, env: { ...system.env, METRICS_PORT: String(metricsPort) } }, place, 8);
  const folder = await mkdtemp(join(place.folder, 'prometheus-'));
  const prometheus = await startPrometheus(folder, metricsPort);
  try {
    await until('the first scrape', async () => (await prometheus.read('up')) === 1);
    await until('the alert rules', async () => (await prometheus.ruleCount()) > 0);
    const rows = await compare(running, prometheus);
    const texts = rows.map(([name, sent, counted]) => [name, String(sent), String(counted)]);
    process.stdout.write(`${store}, ${await prometheus.ruleCount()} alert rules loaded\n\n`);
    process.stdout.write(`${table(['What', 'Sent', 'Counted'], texts).join('\n')}\n`);
    return rows.every(([, sent, counted]) => sent === counted);
  } finally {
    await Promise.all([prometheus.stop(), running.stop()]);
  }
}

async function main(): Promise<number> {
  if (spawnSync('prometheus', ['--version']).error) {
    process.stderr.write('prometheus is not installed: apt-get install prometheus\n');
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-prometheus-'));
  const postgres = await startPostgres();
  try {
    const place = { folder, postgresUrl: postgres.url };
    const agree = [await tryStore('SQLite', place), await tryStore('PostgreSQL', place)];
    return agree.every(Boolean) ? 0 : 1;
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

exitWith(main, ({ message }) => message);
