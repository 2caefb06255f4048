// Measures how long it takes to move many users: `npx tsx bench/moving.ts [USERS]`. The default is a million users.
// Imports them twice from JSON lines into each kind of database. Then copies them, with five sessions per user, from
// SQLite to PostgreSQL and back. Checks that a browser that has signed in before stays signed in. Prints a table. A
// million users need about 10 GB of disk space.
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client as Postgres } from 'pg';
import {
  addUser,
  type Ending,
  makeDatabase,
  type Owner,
  type Place,
  runProgram,
  startService,
} from '../test/lifecycle/support.ts';
import type { Client } from '../test/support/client.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { fillSessions, sqliteFiller } from './console-rows.ts';
import { meterOf, peakMegabytes } from './processes.ts';

const USERS = Number(process.argv[2] ?? 1_000_000);
const LOOK_MS = 50;
/** The hash of the password `right-horse-7`, as another argon2 library writes it. */
const HASH = '$argon2id$v=19$m=19456,t=2,p=1$c29tZS1zYWx0LW9mLW91cnM$Z3Vlc3MtdGhpcy1pZi15b3UtY2FuLW9yLW5ldmVyLWRvLTE';

const print = (cells: readonly unknown[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`);

function* lines(): Generator<string> {
  for (let from = 1; from <= USERS; from += 1000) {
    const numbers = Array.from({ length: Math.min(1000, USERS - from + 1) }, (_none, at) => from + at);
    const records = numbers.map((number) => ({
      username: `user-${number}`,
      full_name: `User Number ${number}`,
      email: `user-${number}@example.test`,
      email_confirmed: true,
      password_hash: HASH,
    }));
    yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
  }
}

const owner: Owner & { stops: (() => Promise<void>)[] } = {
  stops: [],
  onTestFinished: (stop) => void owner.stops.push(stop),
};

/** Runs a command, and prints its seconds, processor time and memory. Returns the output of the command. */
async function measure(name: string, place: Place, args: readonly string[]): Promise<string> {
  const since = performance.now();
  const program = runProgram(owner, place, args);
  const spent = meterOf(program.pid);
  let [seconds, peak] = [0, 0];
  const looking = setInterval(() => {
    [seconds, peak] = [Math.max(seconds, spent() / 1e6), Math.max(peak, peakMegabytes(program.pid))];
  }, LOOK_MS);
  const { code }: Ending = await program.ended;
  clearInterval(looking);
  if (code !== 0) throw new Error(`${name}: exit code ${code}: ${program.stderr().slice(-2000)}`);
  print([name, ((performance.now() - since) / 1000).toFixed(1), seconds.toFixed(1), peak.toFixed(0)]);
  return program.stdout();
}

async function importTwice(name: string, place: Place, file: string): Promise<void> {
  await makeDatabase(owner, place);
  await measure(`import into ${name}`, place, ['import', file]);
  const again = await measure('the same again, which changes nothing', place, ['import', file, '--json']);
  process.stdout.write(again);
}

/** Returns whether a browser is still signed in at a service on this database. */
async function isSignedIn(place: Place, browser: Client): Promise<boolean> {
  const service = await startService(owner, place);
  const visitor = service.client();
  for (const [name, value] of browser.jar) visitor.jar.set(name, value);
  const answer = await visitor.isSignedIn();
  await service.stop();
  return answer;
}

async function signInAt(place: Place): Promise<Client> {
  const user = await addUser(owner, place, 'ada');
  const service = await startService(owner, place);
  const browser = service.client();
  await browser.login(user);
  await service.stop();
  return browser;
}

const folder = await mkdtemp(join(tmpdir(), 'authsvc-moving-'));
const server = await startPostgres();
try {
  const postgres = new Postgres({ connectionString: server.url });
  await postgres.connect();
  const newPostgres = async (name: string): Promise<Place> => {
    await postgres.query(`create database ${name}`);
    return { folder, url: Object.assign(new URL(server.url), { pathname: `/${name}` }).href };
  };
  const file = join(folder, 'users.jsonl');
  await pipeline(Readable.from(lines()), createWriteStream(file));
  print([`${USERS} users`, 'seconds', 'CPU seconds', 'peak MB']);
  print(['---', '---:', '---:', '---:']);

  const sqlite: Place = { folder, url: `sqlite:${join(folder, 'first.sqlite')}` };
  await importTwice('SQLite', sqlite, file);
  await importTwice('PostgreSQL', await newPostgres('imported'), file);

  const browser = await signInAt(sqlite);
  const filler = sqliteFiller(sqlite.url);
  await fillSessions(filler, USERS);
  await filler.end();
  const [there, back] = [await newPostgres('copied'), { folder, url: `sqlite:${join(folder, 'back.sqlite')}` }];
  for (const [name, from, to] of [
    ['copy from SQLite to PostgreSQL, with five sessions a user', sqlite, there],
    ['copy back', there, back],
  ] as const) {
    await measure(name, to, ['copy', '--from', from.url, '--to', to.url]);
    if (!(await isSignedIn(to, browser))) throw new Error(`${name}: the browser is no longer signed in`);
  }
  await postgres.end();
} finally {
  for (const stop of owner.stops.reverse()) await stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
