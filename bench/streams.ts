// Measures what applications cost a service: `npx tsx bench/streams.ts`. Measures the memory and processor time of a
// thousand open streams, and the cost of ending a session while they are open. Compares POST visitor with POST
// verifySession in alternating rounds.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { startPostgres } from '../test/support/postgres.ts';
import { forMilliseconds, load, median, type Shot } from './load.ts';
import { residentMegabytes } from './processes.ts';
import { databaseFor, launch, type Place } from './running.ts';
import { authsvc, type Post, programPost, type Store } from './systems.ts';

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

async function measureStore(store: Store, place: Place): Promise<string> {
  const system = authsvc('authsvc', project, store);
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: await databaseFor(system, place), ...system.env };
  await system.prepare?.({ ...env, HOME: place.folder });
  const app = ['app', 'add', 'bench', '--name', 'Bench', '--json'];
  const added = execFileSync(process.execPath, [join(project, 'dist/main.js'), ...app], { env, cwd: place.folder });
  const { secret } = JSON.parse(added.toString());
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
  const shots = {
    verify: programPost([verify(jar)]),
    visitor: withHeader(
      programPost([{ path: '/authsvc/api/apps/visitor', body: { cookie: first }, expect: '"username":"bench"' }]),
      `Authorization: ${authorization}`,
    ),
  };
  const costs = { verify: [] as number[], visitor: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of ['verify', 'visitor'] as const) {
      const before = meter();
      const { count } = await load({ port, shot: shots[name], connections: 16, goesOn: forMilliseconds(ROUND_MS) });
      if (round > 0) costs[name].push((meter() - before) / count);
    }
  }
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
  const ratio = median(costs.visitor.map((cost, at) => cost / (costs.verify[at] ?? Number.NaN)));
  const [visitor, verified] = [median(costs.visitor).toFixed(0), median(costs.verify).toFixed(0)];
  return [
    `${store}: POST visitor ${visitor} µs, POST verifySession ${verified} µs: ${ratio.toFixed(2)} ×`,
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
