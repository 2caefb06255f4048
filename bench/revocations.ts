// Measures how long an application still lets people in after their session was revoked: `npx tsx bench/revocations.ts
// [ROUNDS]`. The default is 500 rounds. The session ends at one service, by a command or in the database. The
// application asks another service and polls without a pause.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';
import { startApplication } from '../test/client/start-application.ts';
import {
  addUser,
  makeDatabase,
  type Owner,
  type Place,
  runCommand,
  type Service,
  startService,
} from '../test/lifecycle/support.ts';
import type { Client } from '../test/support/client.ts';
import { freezablePath } from '../test/support/freezable-path.ts';
import { startPostgres } from '../test/support/postgres.ts';

const ROUNDS = Number(process.argv[2] ?? 500);
/**
 * The number of rounds in which a command ends the session. It is smaller, because starting a command takes much longer
 * than the measured time.
 */
const COMMANDS = Math.max(1, Math.round(ROUNDS / 10));

type Store = 'SQLite' | 'PostgreSQL';

interface Parts {
  owner: Owner;
  place: Place;
  here: Service;
  application: () => Client;
}

interface Visit {
  browser: Client;
  visitor: Client;
}

/** Signs a visitor in and waits until the application answers from its own memory. */
async function visit({ here, application }: Parts): Promise<Visit> {
  const browser = here.client();
  await browser.login({ username: 'ada', password: 'right-horse-7' });
  const visitor = application();
  for (const [name, value] of browser.jar) visitor.jar.set(name, value);
  for (let answers = 0; answers < 3; ) answers += (await visitor.get('/')).status === 200 ? 1 : 0;
  return { browser, visitor };
}

/** Returns the milliseconds until the last reply that still lets the visitor in. */
async function untilLastYes(visitor: Client): Promise<number> {
  const since = performance.now();
  let last = since;
  while ((await visitor.get('/')).status === 200) last = performance.now();
  return last - since;
}

async function endInDatabase({ place }: Parts): Promise<void> {
  if (place.url.startsWith('sqlite:')) {
    const file = new DatabaseSync(place.url.slice('sqlite:'.length), { timeout: 5000 });
    file.exec('delete from sessions');
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  await client.query('delete from sessions');
  await client.end();
}

const ways: Record<string, { rounds: number; end(parts: Parts, visit: Visit): Promise<unknown> }> = {
  'by HTTP': { rounds: ROUNDS, end: (_parts, { browser }) => browser.logout() },
  'by a command': {
    rounds: COMMANDS,
    end: ({ owner, place }) => runCommand(owner, place, ['session', 'revoke-all', 'ada', '--yes']),
  },
  'in the database': { rounds: ROUNDS, end: (parts) => endInDatabase(parts) },
};

function row(store: Store, name: string, times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(0);
  return `| ${store} | ${name} | ${sorted.length} | ${at(0.5)} | ${at(0.99)} | ${at(1)} |`;
}

async function measure(store: Store, owner: Owner): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-revocations-'));
  owner.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const server = store === 'PostgreSQL' ? await startPostgres() : undefined;
  if (server) owner.onTestFinished(() => server.stop());
  const url = server?.url ?? `sqlite:${join(folder, 'authsvc.sqlite')}`;
  const place: Place = { url, folder, settings: { MAX_SESSIONS_PER_USER: '100', RATE_LIMITS: 'off', env: 'dev' } };
  await makeDatabase(owner, place);
  await addUser(owner, place, 'ada', ['--app', 'authsvc', '--app', 'portal']);
  const { json } = await runCommand(owner, place, ['app', 'add', 'portal', '--name', 'Portal', '--json']);
  const secret = typeof json === 'object' && json !== null && 'secret' in json ? String(json.secret) : '';
  const [here, there] = [await startService(owner, place), await startService(owner, place)];
  const path = await freezablePath(owner, `http://127.0.0.1:${there.port}`);
  const application = await startApplication(owner, path.url, 'portal', secret);
  const parts: Parts = { owner, place, here, application };
  for (const [name, { rounds, end }] of Object.entries(ways)) {
    const times = [];
    for (let round = 0; round < rounds; round += 1) {
      const visiting = await visit(parts);
      await end(parts, visiting);
      times.push(await untilLastYes(visiting.visitor));
    }
    process.stdout.write(`${row(store, name, times)}\n`);
  }
  const silent = [];
  for (let round = 0; round < COMMANDS; round += 1) {
    const { browser, visitor } = await visit(parts);
    path.freeze();
    await browser.logout();
    silent.push(await untilLastYes(visitor));
    path.thaw();
    await wait(100);
  }
  process.stdout.write(`${row(store, 'by HTTP, the stream silent', silent)}\n`);
}

process.stdout.write('| | ended | rounds | p50 ms | p99 ms | max ms |\n| --- | --- | ---: | ---: | ---: | ---: |\n');
for (const store of ['SQLite', 'PostgreSQL'] as const) {
  const stops: (() => Promise<void>)[] = [];
  try {
    await measure(store, { onTestFinished: (stop) => void stops.push(stop) });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
