// Measures what a page costs: `npx tsx bench/pages.ts`. Measures the processor time of the login page and of the pages of
// an account with 40 sessions. Compares it with the time of GET account-sessions in the same browser, in alternating
// rounds. The time of PostgreSQL is not counted.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startPostgres } from '../test/support/postgres.ts';
import { median } from './load.ts';
import type { Meter } from './processes.ts';
import { databaseFor, launch, type Place } from './running.ts';
import { authsvc, type Store } from './systems.ts';

const ROUNDS = 9;
const WARM_UPS = 5;
const EACH = 60;
const SESSIONS = 40;
const YARDSTICK = 'GET account-sessions';

const pages: Readonly<Record<string, string>> = {
  [YARDSTICK]: '/authsvc/api/account-sessions',
  'login page': '/authsvc/login',
  overview: '/authsvc/account',
  password: '/authsvc/account/password',
  'sessions, 40 of them': '/authsvc/account/sessions',
  'the same as JSON': '/authsvc/api/account/sessions',
  activity: '/authsvc/account/activity',
  tokens: '/authsvc/account/tokens',
  connections: '/authsvc/account/connections',
};

interface Service {
  title: string;
  port: number;
  meter: Meter;
  cookie: string;
  stop(): Promise<void>;
}

let sent = 0;
/** Returns a new client address for each request, because rate limits count by address. */
const address = (): string => {
  sent += 1;
  return `10.${(sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`;
};

async function start(store: Store, place: Place): Promise<Service> {
  const system = authsvc('authsvc', join(import.meta.dirname, '..'), store);
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: place.folder, DATABASE_URL: await databaseFor(system, place), ...system.env };
  await system.prepare?.(env);
  const { port, meter, stop } = await launch(system, env, place.folder);
  let cookie = '';
  for (let at = 0; at < SESSIONS; at += 1) {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address() };
    const url = `http://127.0.0.1:${port}${system.login?.path}`;
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(system.login?.body) });
    if (reply.status !== 200) throw new Error(`no sign-in but ${reply.status}`);
    cookie = reply.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ');
  }
  return { title: store, port, meter, cookie, stop };
}

async function ask({ port, cookie }: Service, path: string): Promise<void> {
  const headers = { accept: 'text/html, */*;q=0.1', cookie, 'x-forwarded-for': address() };
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers, redirect: 'manual' });
  const content = await reply.text();
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${content.slice(0, 300)}`);
}

/** Returns the processor time of a request, in milliseconds. */
async function costOf(service: Service, path: string): Promise<number> {
  const before = service.meter();
  for (let at = 0; at < EACH; at += 1) await ask(service, path);
  return (service.meter() - before) / EACH / 1000;
}

async function measure(service: Service): Promise<Map<string, number>> {
  const costs = new Map(Object.keys(pages).map((name): [string, number[]] => [name, []]));
  for (let at = 0; at < WARM_UPS + ROUNDS; at += 1) {
    for (const [name, path] of Object.entries(pages)) {
      const cost = await costOf(service, path);
      if (at >= WARM_UPS) costs.get(name)?.push(cost);
    }
  }
  return new Map([...costs].map(([name, values]) => [name, median(values)]));
}

const folder = await mkdtemp(join(tmpdir(), 'authsvc-bench-'));
const postgres = await startPostgres();
const services: Service[] = [];
try {
  const place = { folder, postgresUrl: postgres.url };
  for (const store of ['SQLite', 'PostgreSQL'] as const) services.push(await start(store, place));
  const found: Map<string, number>[] = [];
  for (const service of services) found.push(await measure(service));
  const head = services.map(({ title }) => `${title}, ms | ×`);
  const lines = Object.keys(pages).map((name) => {
    const cells = found.flatMap((costs) => {
      const [cost = Number.NaN, yardstick = Number.NaN] = [costs.get(name), costs.get(YARDSTICK)];
      return [cost.toFixed(2), (cost / yardstick).toFixed(1)];
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  process.stdout.write(`| | ${head.join(' | ')} |\n| --- | ---: | ---: | ---: | ---: |\n${lines.join('\n')}\n`);
} finally {
  for (const service of services) await service.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
