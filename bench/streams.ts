// Measures what applications cost a service: `npx tsx bench/streams.ts`. Measures the memory and processor time of a
// thousand open streams, and the cost of ending a session while they are open. Compares POST visitor with POST
// verifySession, and the checks for proxies with GET checkSession, in alternating rounds.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../test/support/postgres.ts';
import { forMilliseconds, load, median, type Shot } from './load.ts';
import { type Meter, residentMegabytes } from './processes.ts';
import { databaseFor, launch, type Place } from './running.ts';
import { authsvc, browserGet, type Post, programPost, type Store } from './systems.ts';

const STREAMS = 1000;
const ROUNDS = 7;
const ROUND_MS = 1500;
const SECONDS = 10;
const ENDED = 100;
const project = join(import.meta.dirname, '..');

function openStream(port: number, authorization: string): Promise<ClientRequest> {
  return new Promise((done, fail) => {
    const options = { host: '127.0.0.1', port, path: '/authsvc/api/apps/changes', headers: { authorization } };
    const stream = httpRequest({ ...options, agent: false });
    stream.on('error', fail).on('response', (reply) => {
      reply.on('error', () => undefined).resume();
      done(stream);
    });
    stream.end();
  });
}

async function signIn(url: string, { path, body }: Post): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return reply.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

const withHeader = ({ text, expect }: Shot, header: string): Shot => ({
  text: (number) => text(number).replace('\r\n', `\r\n${header}\r\n`),
  expect,
});

/**
 * Returns the requests with which proxies check a browser that opens a page, and the request with which the same
 * browser checks its session through the same proxy.
 */
function proxyShots(cookie: string): { check: Shot; proxies: [string, Shot][] } {
  const forwarded = ['X-Forwarded-For: 192.0.2.1', 'X-Forwarded-Proto: https'];
  const shot = (path: string, expect: string, ...headers: string[]) =>
    [...forwarded, ...headers].reduce(withHeader, browserGet(`/authsvc/api/${path}`, [cookie], expect));
  const authz = (path: string, ...headers: string[]) => shot(`authz/${path}`, 'HTTP/1.1 200', ...headers);
  return {
    check: shot('checkSession', '"session_valid":true'),
    proxies: [
      [
        'forward-auth',
        authz(
          'forward-auth?app=bench',
          'X-Forwarded-Method: GET',
          'X-Forwarded-Host: bench.example.org',
          'X-Forwarded-Uri: /reports?a=1',
        ),
      ],
      [
        'auth-request',
        authz(
          'auth-request?app=bench',
          'X-Original-Method: GET',
          'X-Original-URL: https://bench.example.org/reports?a=1',
        ),
      ],
      ['ext-authz', authz('ext-authz/bench/reports?a=1')],
    ],
  };
}

/** Returns the processor time of each kind of request in each round, in microseconds. Skips the first round. */
async function alternate(port: number, meter: Meter, shots: readonly Shot[]): Promise<number[][]> {
  const costs = shots.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [at, shot] of shots.entries()) {
      const before = meter();
      const { count } = await load({ port, shot, connections: 16, goesOn: forMilliseconds(ROUND_MS) });
      if (round > 0) costs[at]?.push((meter() - before) / count);
    }
  }
  return costs;
}

/** Compares two kinds of requests by the median of the ratios within each round. */
function compare([name, costs]: [string, number[]], [otherName, others]: [string, number[]]): string {
  const ratio = median(costs.map((cost, at) => cost / (others[at] ?? Number.NaN)));
  const [cost, other] = [median(costs).toFixed(0), median(others).toFixed(0)];
  return `${name} ${cost} µs, ${otherName} ${other} µs: ${ratio.toFixed(2)} ×`;
}

async function measureStore(store: Store, place: Place): Promise<string> {
  const system = authsvc('authsvc', project, store);
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: await databaseFor(system, place), ...system.env };
  await system.prepare?.({ ...env, HOME: place.folder });
  const command = (...args: string[]) =>
    execFileSync(process.execPath, [join(project, 'dist/main.js'), ...args], {
      env,
      cwd: place.folder,
      stdio: 'pipe',
    }).toString();
  const { secret } = JSON.parse(command('app', 'add', 'bench', '--name', 'Bench', '--json'));
  command('user', 'set', 'bench', '--app', 'authsvc', '--app', 'bench');
  const authorization = `Basic ${btoa(`bench:${secret}`)}`;
  const { port, pid, meter, stop } = await launch(
    system,
    { ...env, RATE_LIMITS: 'login=100000/60s,logout-all=100000/60s' },
    place.folder,
  );
  const url = `http://127.0.0.1:${port}`;
  const { login, verify } = system;
  if (!login || !verify) throw new Error('authsvc has no such requests');
  const cookies = await Promise.all(Array.from({ length: ENDED }, () => signIn(url, login)));
  const [first = ''] = cookies;
  const jar = new Map([['session_id', /session_id=([^;]+)/.exec(first)?.[1] ?? '']]);
  const visitor = withHeader(
    programPost([{ path: '/authsvc/api/apps/visitor', body: { cookie: first }, expect: '"username":"bench"' }]),
    `Authorization: ${authorization}`,
  );
  const [verified = [], visitors = []] = await alternate(port, meter, [programPost([verify(jar)]), visitor]);
  const { check, proxies } = proxyShots(first);
  const [checks = [], ...costs] = await alternate(port, meter, [check, ...proxies.map(([, shot]) => shot)]);
  const memory = residentMegabytes(pid);
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => openStream(port, authorization)));
  const opened = residentMegabytes(pid) - memory;
  const begun = meter();
  await wait(SECONDS * 1000);
  const idle = (meter() - begun) / SECONDS / 10_000;
  const before = meter();
  for (const cookie of cookies) {
    const headers = { cookie, 'content-type': 'application/json' };
    const { status } = await fetch(`${url}/authsvc/api/logout-all`, { method: 'POST', headers, body: '{}' });
    if (status !== 200) throw new Error(`a sign-out was refused: ${status}`);
  }
  const ended = (meter() - before) / ENDED / 1000;
  for (const stream of streams) stream.destroy();
  await stop();
  const rows = proxies.map(([name], at) => compare([name, costs[at] ?? []], ['GET checkSession', checks]));
  return [
    `${store}: ${compare(['POST visitor', visitors], ['POST verifySession', verified])}`,
    ...rows.map((row) => `  ${row}`),
    `  ${STREAMS} streams: ${opened.toFixed(0)} MB more, ${idle.toFixed(1)} % of a processor`,
    `  a sign-out beside them: ${ended.toFixed(1)} ms of processor time`,
  ].join('\n');
}

const folder = await mkdtemp(join(tmpdir(), 'authsvc-bench-'));
const postgres = await startPostgres();
try {
  for (const store of ['SQLite', 'PostgreSQL'] as const)
    process.stdout.write(`${await measureStore(store, { folder, postgresUrl: postgres.url })}\n`);
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
