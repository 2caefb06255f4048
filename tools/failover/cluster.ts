// Runs a PostgreSQL cluster with Patroni on loopback, for tools/trial-failover.ts. Each node is reached through proxies
// that the trial can freeze.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Account, Owner } from '../../test/lifecycle/support.ts';
import { type FreezablePath, freezablePath } from '../../test/support/freezable-path.ts';
import { freePort } from '../../test/support/postgres.ts';

const PATIENCE_MS = 120_000;
const PASSWORD = 'loopback-only';
const TTL_SECONDS = 20;
const NODES = 3;

const folders = ['/usr/sbin', '/usr/local/bin', ...(process.env.PATH ?? '').split(delimiter)];
const pathOf = (program: string): string | undefined =>
  folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
/** The folder of the newest PostgreSQL programs that Debian has installed. */
const binaries = [17, 16, 15, 14, 13]
  .map((version) => `/usr/lib/postgresql/${version}/bin`)
  .find((folder) => existsSync(join(folder, 'initdb')));

/** Lists the programs that this machine lacks. */
export function missingTools(): string[] {
  const lacking = ['patroni', 'etcd', 'haproxy', 'pgbouncer'].filter((program) => pathOf(program) === undefined);
  return binaries === undefined ? [...lacking, 'postgresql'] : lacking;
}

export interface Cluster {
  /** The URL through PgBouncer and HAProxy. */
  pooledUrl: string;
  /** The URL through HAProxy alone. */
  directUrl: string;
  /** Kills Patroni and PostgreSQL of the leader, waits until another node leads, and starts the killed node again. */
  killLeader(): Promise<void>;
  switchOver(): Promise<void>;
  /** Blocks all traffic of the leader, waits until another node leads, and unblocks the traffic. */
  cutLeader(): Promise<void>;
  /** Waits until all nodes run, one of them leads, and one is a synchronous standby. */
  settle(): Promise<void>;
}

interface Node {
  name: string;
  data: string;
  config: string;
  /** The ports on which the node itself listens. */
  api: number;
  sql: number;
  /** The proxies through which other programs reach the node, and through which the node reaches etcd. */
  ways: { api: FreezablePath; sql: FreezablePath; etcd: FreezablePath };
  stop(): Promise<void>;
}

interface Machine {
  owner: Owner;
  folder: string;
  account: Account | undefined;
}

/** Starts a program. Its output goes to a file in the folder. Returns the function that stops it. */
function start({ owner, folder, account }: Machine, name: string, program: string, args: string[]) {
  const log = openSync(join(folder, `${name}.log`), 'a', 0o666);
  const env = { PATH: `${binaries}:/usr/sbin:${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8' };
  const child = spawn(pathOf(program) ?? program, args, { ...account, cwd: folder, env, stdio: ['ignore', log, log] });
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    const ended = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null && child.kill(signal)) await ended;
  };
  owner.onTestFinished(() => end());
  return end;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (await holds().catch(() => false)) return;
    await sleep(100);
  }
  throw new Error(`this did not come about within ${PATIENCE_MS / 1000} s: ${what}`);
}

const portOf = ({ url }: FreezablePath): string => new URL(url).port;

/** Durations in seconds. A leader that cannot renew its key within TTL_SECONDS is replaced. */
const bootstrap = {
  dcs: {
    ttl: TTL_SECONDS,
    loop_wait: 5,
    retry_timeout: 5,
    synchronous_mode: true,
    postgresql: { use_pg_rewind: true, parameters: { max_connections: 60, shared_buffers: '32MB', fsync: 'on' } },
  },
  initdb: [{ encoding: 'UTF8' }, 'data-checksums', { locale: 'C.UTF-8' }],
};

/** Creates the configuration of a node. Patroni reads YAML, and JSON is valid YAML. */
const configOf = ({ name, data, api, sql, ways }: Omit<Node, 'stop' | 'config'>, folder: string) => ({
  scope: 'authsvc',
  name,
  restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${portOf(ways.api)}` },
  // Without `use_proxies`, the node would learn the address of etcd itself and bypass the proxy that the trial freezes.
  etcd3: { hosts: [`127.0.0.1:${portOf(ways.etcd)}`], use_proxies: true },
  bootstrap,
  postgresql: {
    listen: `127.0.0.1:${sql}`,
    connect_address: `127.0.0.1:${portOf(ways.sql)}`,
    data_dir: data,
    bin_dir: binaries,
    pgpass: join(folder, `${name}.pgpass`),
    parameters: { unix_socket_directories: folder },
    pg_hba: ['host replication all 127.0.0.1/32 scram-sha-256', 'host all all 127.0.0.1/32 scram-sha-256'],
    authentication: {
      superuser: { username: 'postgres', password: PASSWORD },
      replication: { username: 'replicator', password: PASSWORD },
      rewind: { username: 'rewinder', password: PASSWORD },
    },
  },
});

async function startNode(machine: Machine, name: string, etcd: number): Promise<Node> {
  const { owner, folder } = machine;
  const [api, sql] = [await freePort(), await freePort()];
  const way = (port: number) => freezablePath(owner, `http://127.0.0.1:${port}`);
  const ways = { api: await way(api), sql: await way(sql), etcd: await way(etcd) };
  const data = join(folder, name);
  const config = join(folder, `${name}.yml`);
  const facts = { name, data, api, sql, ways };
  await writeFile(config, JSON.stringify(configOf(facts, folder)));
  const stop = start(machine, name, 'patroni', [config]);
  return { ...facts, config, stop: () => stop('SIGKILL') };
}

/** Returns whether a node has the state that `path` names, such as `primary`. */
async function is({ api }: Node, path: string): Promise<boolean> {
  const reply = await fetch(`http://127.0.0.1:${api}/${path}`, { signal: AbortSignal.timeout(1000) }).catch(
    () => undefined,
  );
  await reply?.arrayBuffer();
  return reply?.status === 200;
}

async function leaderOf(nodes: readonly Node[]): Promise<Node | undefined> {
  for (const node of nodes) if (await is(node, 'primary')) return node;
  return undefined;
}

async function getLeader(nodes: readonly Node[]): Promise<Node> {
  const leader = await leaderOf(nodes);
  if (!leader) throw new Error('no node is the leader');
  return leader;
}

async function startHaproxy(machine: Machine, nodes: readonly Node[]): Promise<number> {
  const port = await freePort();
  const lines = [
    'defaults',
    '  mode tcp',
    '  timeout connect 2s',
    '  timeout client 30m',
    '  timeout server 30m',
    '  timeout check 2s',
    'listen primary',
    `  bind 127.0.0.1:${port}`,
    '  option httpchk OPTIONS /primary',
    '  http-check expect status 200',
    '  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions',
    ...nodes.map(({ name, ways }) => `  server ${name} 127.0.0.1:${portOf(ways.sql)} check port ${portOf(ways.api)}`),
  ];
  const file = join(machine.folder, 'haproxy.cfg');
  await writeFile(file, `${lines.join('\n')}\n`);
  start(machine, 'haproxy', 'haproxy', ['-db', '-f', file]);
  return port;
}

async function startPgBouncer(machine: Machine, target: number): Promise<number> {
  const { folder } = machine;
  const port = await freePort();
  await writeFile(join(folder, 'users'), `"postgres" "${PASSWORD}"\n`);
  const lines = [
    '[databases]',
    `authsvc = host=127.0.0.1 port=${target} dbname=authsvc`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${join(folder, 'users')}`,
    'pool_mode = transaction',
    'default_pool_size = 12',
    'server_login_retry = 1',
    'server_connect_timeout = 3',
    'query_wait_timeout = 5',
  ];
  await writeFile(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`);
  start(machine, 'pgbouncer', 'pgbouncer', [join(folder, 'pgbouncer.ini')]);
  return port;
}

function killPostgres({ data }: Node): void {
  const [pid] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

async function startEtcd(machine: Machine): Promise<number> {
  const [port, peer] = [await freePort(), await freePort()];
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peer}`];
  const data = join(machine.folder, 'etcd');
  start(machine, 'etcd', 'etcd', [
    '--data-dir',
    data,
    '--listen-client-urls',
    url,
    '--advertise-client-urls',
    url,
    '--listen-peer-urls',
    peerUrl,
    '--initial-advertise-peer-urls',
    peerUrl,
    '--initial-cluster',
    `default=${peerUrl}`,
  ]);
  await until('etcd', async () => (await fetch(`${url}/health`)).status === 200);
  return port;
}

async function switchOver(nodes: readonly Node[]): Promise<void> {
  const leader = await getLeader(nodes);
  const followers = nodes.filter((node) => node !== leader);
  const states = await Promise.all(followers.map((node) => is(node, 'sync')));
  const candidate = followers.find((_node, at) => states[at]);
  if (!candidate) throw new Error('no node is a synchronous follower');
  const body = JSON.stringify({ leader: leader.name, candidate: candidate.name });
  const reply = await fetch(`http://127.0.0.1:${leader.api}/switchover`, { method: 'POST', body });
  if (reply.status !== 200) throw new Error(`the switchover was refused: ${reply.status} ${await reply.text()}`);
  await until('the switchover', () => is(candidate, 'primary'));
}

/** Creates the database. Retries, because on a busy machine the leader may still change. */
async function makeDatabase(nodes: readonly Node[], settle: () => Promise<void>): Promise<void> {
  await until('a database', async () => {
    await settle();
    const { sql } = await getLeader(nodes);
    const args = ['-h', '127.0.0.1', '-p', String(sql), '-U', 'postgres', 'authsvc'];
    const made = spawnSync(join(binaries ?? '', 'createdb'), args, { env: { PGPASSWORD: PASSWORD }, encoding: 'utf8' });
    return made.status === 0 || made.stderr.includes('already exists');
  });
}

/** Starts etcd, three nodes, HAProxy and PgBouncer, and creates a database. The account must own the folder. */
export async function startCluster(owner: Owner, folder: string, account: Account | undefined): Promise<Cluster> {
  const machine: Machine = { owner, folder, account };
  const etcd = await startEtcd(machine);
  const nodes: Node[] = [];
  for (let number = 1; number <= NODES; number += 1) nodes.push(await startNode(machine, `node${number}`, etcd));
  const settle = async () => {
    await until('three nodes with a leader and a synchronous follower', async () => {
      const running = await Promise.all(nodes.map((node) => is(node, 'health')));
      const synchronous = await Promise.all(nodes.map((node) => is(node, 'sync')));
      return running.every(Boolean) && synchronous.some(Boolean) && (await leaderOf(nodes)) !== undefined;
    });
  };
  await makeDatabase(nodes, settle);
  const direct = await startHaproxy(machine, nodes);
  const pooled = await startPgBouncer(machine, direct);
  const urlAt = (port: number) => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/authsvc`;
  const another = (former: Node) =>
    until('another leader', async () => (await leaderOf(nodes.filter((node) => node !== former))) !== undefined);
  return {
    pooledUrl: urlAt(pooled),
    directUrl: urlAt(direct),
    settle,
    switchOver: () => switchOver(nodes),
    killLeader: async () => {
      const killed = await getLeader(nodes);
      await killed.stop();
      killPostgres(killed);
      await another(killed);
      const stop = start(machine, killed.name, 'patroni', [killed.config]);
      killed.stop = () => stop('SIGKILL');
    },
    cutLeader: async () => {
      const lonely = await getLeader(nodes);
      for (const way of Object.values(lonely.ways)) way.freeze();
      await another(lonely);
      await sleep(SETTLED_MS);
      for (const way of Object.values(lonely.ways)) way.thaw();
    },
  };
}

/** How long the other nodes work without the leader before its traffic is unblocked. */
const SETTLED_MS = 10_000;
