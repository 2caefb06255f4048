// Tries authsvc on two machines with one PostgreSQL: npm run trial:machines. The machines are two network namespaces,
// each with one cable to the visitors and one to the database. Measures how soon a sign-out at one machine takes effect
// at the other, disconnects one machine from the database, and kills one machine. Prints one JSON line. Exits with 1 if a
// goal is missed, and with 2 and one line if it cannot create namespaces. Linux only, as root.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../bench/load.ts';
import { addUser, defaults, makeDatabase, type Owner, PASSWORD, type Place } from '../test/lifecycle/support.ts';
import { Client } from '../test/support/client.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { exitWith } from './exit-with.ts';

const PROGRAM = join(import.meta.dirname, '../dist/main.js');
const PORT = 3000;
const SIGN_OUTS = 200;
const CUT_MS = 10_000;
/** The longest time until a sign-out takes effect at another machine, with a working change feed and without it. */
const [BOUND_MS, BLIND_BOUND_MS] = [1000, 2000];
const START_MS = 20_000;
const BACK_MS = 30_000;

const ip = (...args: string[]): void => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** Listens at the address `from` and forwards each connection to `to`. Returns the port. */
async function passOn(owner: Owner, from: string, to: { host: string; port: number }): Promise<number> {
  const server = createServer((near) => {
    const far = connect(to);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, from);
  await once(server, 'listening');
  owner.onTestFinished(async () => void server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Creates a network cable into a namespace. Returns the name of its outer end. */
function layCable(owner: Owner, space: string, name: string, subnet: string): string {
  const [near, far] = [`${space}-${name}`, `${space}-${name}-in`];
  ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far);
  owner.onTestFinished(async () => ip('link', 'del', near));
  ip('link', 'set', far, 'netns', space);
  ip('addr', 'add', `${subnet}.1/30`, 'dev', near);
  ip('link', 'set', near, 'up');
  ip('-n', space, 'addr', 'add', `${subnet}.2/30`, 'dev', far);
  ip('-n', space, 'link', 'set', far, 'up');
  return near;
}

interface Machine {
  client(): Client;
  cutOff(): void;
  connect(): void;
  kill(): Promise<void>;
}

/** Starts the service in a network namespace with this number. */
async function startMachine(owner: Owner, number: number, { url, folder }: Place): Promise<Machine> {
  const space = `authsvc${number}`;
  ip('netns', 'add', space);
  owner.onTestFinished(async () => ip('netns', 'del', space));
  ip('-n', space, 'link', 'set', 'lo', 'up');
  const [front, back] = [`10.213.${number}`, `10.214.${number}`];
  layCable(owner, space, 'f', front);
  const cable = layCable(owner, space, 'b', back);
  const database = new URL(url);
  const port = await passOn(owner, `${back}.1`, { host: database.hostname, port: Number(database.port) });
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    ...defaults,
    HOST: `${front}.2`,
    PORT: `${PORT}`,
    BASE_URL: `http://${front}.2:${PORT}`,
    MAX_SESSIONS_PER_USER: '10000',
    DATABASE_URL: Object.assign(database, { host: `${back}.1:${port}` }).href,
  };
  const args = ['netns', 'exec', space, process.execPath, PROGRAM, 'serve'];
  const child = spawn('ip', args, { cwd: folder, env, stdio: 'ignore' });
  const ended = once(child, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  owner.onTestFinished(kill);
  const way = await passOn(owner, '127.0.0.1', { host: `${front}.2`, port: PORT });
  const client = () => new Client(() => way);
  await within(START_MS, async () => (await client().get('/readyz')).status === 200);
  return {
    client,
    cutOff: () => ip('link', 'set', cable, 'down'),
    connect: () => ip('link', 'set', cable, 'up'),
    kill,
  };
}

/** Calls `isSo` again and again until it returns true. Returns the elapsed milliseconds. Throws after `ms` milliseconds. */
async function within(ms: number, isSo: () => Promise<boolean>): Promise<number> {
  const from = performance.now();
  while (!(await isSo().catch(() => false))) {
    if (performance.now() - from > ms) throw new Error(`not within ${ms} ms`);
    await sleep(2);
  }
  return performance.now() - from;
}

async function signIn(machine: Machine): Promise<Client> {
  const client = machine.client();
  const { status } = await client.login({ username: 'ada', password: PASSWORD });
  if (status !== 200) throw new Error(`a sign-in was answered with ${status}`);
  return client;
}

/** Returns a client with the same cookies for another machine. */
function visit(machine: Machine, { jar }: Client): Client {
  const client = machine.client();
  for (const [name, value] of jar) client.jar.set(name, value);
  return client;
}

const signOut = async (client: Client): Promise<boolean> => (await client.logout()).status === 200;

/** Measures the milliseconds from the reply to a sign-out at one machine to the first refusal at the other. */
async function timeSignOuts(here: Machine, there: Machine): Promise<{ median: number; max: number }> {
  const times: number[] = [];
  for (let at = 0; at < SIGN_OUTS; at += 1) {
    const client = await signIn(here);
    const other = visit(there, client);
    while (!(await other.isSignedIn()));
    if (!(await signOut(client))) throw new Error('a sign-out was refused');
    times.push(await within(BOUND_MS, async () => !(await other.isSignedIn())));
  }
  const round = (ms: number) => Math.round(ms * 10) / 10;
  return { median: round(median(times)), max: round(Math.max(...times)) };
}

/** Disconnects one machine from the database, and checks both machines during that time. */
async function tryCut(here: Machine, there: Machine) {
  const [ending, staying] = [await signIn(here), await signIn(here)];
  const [other, friend] = [visit(there, ending), visit(there, staying)];
  if (!(await other.isSignedIn()) || !(await friend.isSignedIn())) throw new Error('the machines do not agree');
  there.cutOff();
  if (!(await signOut(ending))) throw new Error('a sign-out was refused');
  const failed = { here: 0, answered: 0 };
  let lastBelieved = 0;
  const from = performance.now();
  while (performance.now() - from < CUT_MS) {
    const { status, body } = await other.get('/authsvc/api/checkSession');
    if (status === 200 && body.session_valid === true) lastBelieved = performance.now() - from;
    if (status === 200 && body.session_valid !== true) failed.answered += 1;
    await signIn(here).catch(() => {
      failed.here += 1;
    });
  }
  there.connect();
  const back = await within(BACK_MS, () => friend.isSignedIn());
  if (await other.isSignedIn()) throw new Error('an ended session is believed after the cut');
  return {
    ended_session_believed_for_ms: Math.round(lastBelieved),
    back_after_ms: Math.round(back),
    sign_ins_failed_at_the_other: failed.here,
    signed_in_reported_as_signed_out: failed.answered,
  };
}

/** Kills a machine, and counts how many of its acknowledged sign-ins the other machine does not know. */
async function tryKill(here: Machine, there: Machine): Promise<{ acknowledged: number; lost: number }> {
  const clients: Client[] = [];
  let isOver = false;
  const visiting = [1, 2, 3].map(async () => {
    while (!isOver)
      await signIn(here).then(
        (client) => clients.push(client),
        () => sleep(20),
      );
  });
  await sleep(3000);
  await here.kill();
  isOver = true;
  await Promise.all(visiting);
  let lost = 0;
  for (const client of clients) if (!(await visit(there, client).isSignedIn())) lost += 1;
  return { acknowledged: clients.length, lost };
}

async function tryAll(owner: Owner, folder: string): Promise<number> {
  const server = await startPostgres();
  owner.onTestFinished(() => server.stop());
  const place: Place = { url: server.url, folder };
  await makeDatabase(owner, place);
  await addUser(owner, place, 'ada');
  const [here, there] = [await startMachine(owner, 1, place), await startMachine(owner, 2, place)];
  const signOuts = await timeSignOuts(here, there);
  const cut = await tryCut(here, there);
  const killed = await tryKill(here, there);
  process.stdout.write(`${JSON.stringify({ sign_outs_ms: signOuts, cut, killed })}\n`);
  const faults = cut.sign_ins_failed_at_the_other + cut.signed_in_reported_as_signed_out + killed.lost;
  return faults === 0 && cut.ended_session_believed_for_ms < BLIND_BOUND_MS ? 0 : 1;
}

async function main(): Promise<number> {
  try {
    ip('netns', 'list');
    if (process.getuid?.() !== 0) throw new Error('not root');
  } catch {
    process.stderr.write('run it as root on Linux, with the package iproute2\n');
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-machines-'));
  const endings: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const owner: Owner = { onTestFinished: (stop) => void endings.push(stop) };
  try {
    return await tryAll(owner, folder);
  } finally {
    for (const end of endings.toReversed()) await end().catch(() => undefined);
  }
}

exitWith(main, ({ stack }) => stack);
