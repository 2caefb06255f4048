// npm run bench:attacks: measures what other clients notice during an attack. `--help` lists the options.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from '../test/support/client.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { attacks } from './attacks/kinds.ts';

const help = `npm run bench:attacks -- [options]
  --checkout FOLDER  a built checkout of authsvc instead of this one
  --database KIND    sqlite (default) or postgres
  --only TEXT        attacks whose name holds the text
  --seconds N        how long each attack goes on (default 12)
`;

const PASSWORD = 'right-horse-7';
const USER = { username: 'ada', password: PASSWORD };

interface Options {
  checkout: string;
  database: string;
  only: string;
  milliseconds: number;
}

interface Service {
  port: number;
  client: Client;
  cookie: string;
  peakMegabytes(): number;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

async function addUser(program: string, options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<void> {
  const args = [program, 'user', 'add', USER.username, '--password-stdin'];
  const migrated = spawn(process.execPath, [program, 'migrate'], { ...options, stdio: 'ignore' });
  await once(migrated, 'exit');
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin?.end(PASSWORD);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('the user could not be added');
}

const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Starts the service of a checkout on a new database, with one signed-in user. */
async function startService({ checkout }: Options, databaseUrl: string, folder: string): Promise<Service> {
  const program = join(checkout, 'dist/main.js');
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    SESSION_SECRET_KEY: 'session-secret-of-the-attacks-0123456789',
    TRUST_PROXY: 'true',
    UPDATE_CHECK: 'off',
    MAX_SESSIONS_PER_USER: '1000',
  };
  await addUser(program, { cwd: folder, env });
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn(process.execPath, [program, 'serve'], { cwd: folder, env, stdio: ['ignore', log, log] });
  closeSync(log);
  const client = new Client(() => port);
  while ((await client.get('/healthz').catch(() => undefined))?.status !== 200) await wait(20);
  const reply = await client.login(USER);
  if (reply.status !== 200) throw new Error(`the sign-in was refused: ${reply.text}`);
  const { pid = 0 } = child;
  const stop = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  const cookie = [...client.jar].map((pair) => pair.join('=')).join('; ');
  return { port, client, cookie, peakMegabytes: () => peakOf(pid), stop };
}

/** Counts the results of one kind of request: correct replies, all replies, and the longest time. */
class Probe {
  good = 0;
  all = 0;
  slowestMs = 0;
  readonly #goesOn: () => boolean;

  constructor(goesOn: () => boolean) {
    this.#goesOn = goesOn;
  }

  /** Sends requests again and again, with a pause in between. */
  async run(pauseMs: number, ask: () => Promise<boolean>): Promise<void> {
    while (this.#goesOn()) {
      const begin = performance.now();
      const isGood = await ask().catch(() => false);
      this.all += 1;
      this.good += isGood ? 1 : 0;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - begin);
      await wait(pauseMs);
    }
  }

  toString(): string {
    return `${this.good}/${this.all}`;
  }
}

const ms = (value: number): string => String(Math.round(value));

/** Waits for the final report of the attackers. */
async function reportOf(attacker: ChildProcess): Promise<string> {
  const [message] = await Promise.race([once(attacker, 'message'), once(attacker, 'exit')]);
  return typeof message === 'string' ? message : 'the attackers failed';
}

async function measure(name: string, sources: number, options: Options, databaseUrl: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-attacks-'));
  const service = await startService(options, databaseUrl, folder);
  const { port, cookie, client } = service;
  // The browser of the person whose password is guessed. All other browsers must wait during the attack.
  const known = client.clone();
  known.jar.delete('session_id');
  const target = { port, cookie, sources, milliseconds: options.milliseconds };
  const attacker = fork(import.meta.filename, ['--attack', name, '--target', JSON.stringify(target)]);
  try {
    let isOver = false;
    const probe = () => new Probe(() => !isOver);
    const [health, check, page, login] = [probe(), probe(), probe(), probe()];
    const probes = Promise.all([
      health.run(50, async () => (await client.clone().get('/healthz')).status === 200),
      check.run(50, async () => (await client.clone().get('/authsvc/api/checkSession')).body.session_valid === true),
      page.run(100, async () => (await new Client(() => port).page('/authsvc/login')).status === 200),
      login.run(250, async () => (await known.clone().login(USER)).status === 200),
    ]);
    const report = await reportOf(attacker);
    isOver = true;
    await probes;
    return [
      `${name}${sources > 0 ? `, from ${sources}` : ''}`,
      `${login}`,
      ms(login.slowestMs),
      `${page}`,
      ms(health.slowestMs),
      ms(check.slowestMs),
      ms(service.peakMegabytes()),
      report,
    ];
  } finally {
    attacker.kill();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const columns = [
  'Attack, from so many networks',
  'sign-ins',
  'slowest ms',
  'login pages',
  'slowest /healthz ms',
  'slowest checkSession ms',
  'peak MB',
  'the attackers',
];

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;

async function main(options: Options): Promise<void> {
  process.stdout.write(row(columns) + row(columns.map(() => '---')));
  for (const [name, { sources }] of Object.entries(attacks)) {
    if (!name.includes(options.only)) continue;
    for (const count of sources) {
      const server = options.database === 'postgres' ? await startPostgres() : undefined;
      const url = server?.url ?? 'sqlite:./authsvc.sqlite';
      const cells = await measure(name, count, options, url).finally(() => server?.stop());
      process.stdout.write(row(cells));
    }
  }
}

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    checkout: { type: 'string', default: join(import.meta.dirname, '..') },
    database: { type: 'string', default: 'sqlite' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '12' },
    attack: { type: 'string' },
    target: { type: 'string', default: '{}' },
  },
});
if (values.help) process.stdout.write(help);
else if (values.attack) {
  process.send?.(await attacks[values.attack]?.attack(JSON.parse(values.target)));
  process.exit();
} else {
  const { checkout, database, only, seconds } = values;
  await main({ checkout: resolve(checkout), database, only, milliseconds: Number(seconds) * 1000 });
}
