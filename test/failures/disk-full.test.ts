import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { addUser, makeDatabase, PASSWORD, runCommand, type Service, startService } from '../lifecycle/support.ts';
import type { Client } from '../support/client.ts';
import { freshDatabase } from '../support/each-database.ts';
import { findAccount, type PostgresServer, startPostgres } from '../support/postgres.ts';
import { canMount, smallDisk } from './small-disk.ts';
import { eventually, expectPromisesKept, query, startUnderLoad } from './support.ts';

vi.setConfig({ testTimeout: 240_000 });

const execute = promisify(execFile);
/** More lines than the buffer of the log can hold. */
const LINES = 2500;

const hasDisks = await canMount();

async function signIn(service: Service | undefined): Promise<Client> {
  if (!service) throw new Error('there is no service');
  const client = service.client();
  await client.csrf();
  expect((await client.login({ username: 'ada', password: PASSWORD })).status).toBe(200);
  return client;
}

const linesOf = (service: Service | undefined, word: string): string[] =>
  service
    ?.stdout()
    .split('\n')
    .filter((line) => line.includes('"level":"error"') && line.includes(word)) ?? [];

test.skipIf(!hasDisks)(
  'SQLite on a full disk: no write is half done, session checks work, and writes work again once there is space',
  async (t) => {
    const disk = await smallDisk(t, 24);
    const url = `sqlite:${disk.folder}/authsvc.sqlite`;
    const { services, load } = await startUnderLoad(t, url, { count: 1, isFed: false });
    const [service] = services;
    const client = await signIn(service);
    await load.atLeast(4);

    await disk.fill();
    await load.outages(6);
    const out = await client.post('/authsvc/api/logout', { _csrf: await client.csrf() });
    const login = await client.clone().login({ username: 'bea', password: PASSWORD });
    const [health, readiness] = [await client.get('/healthz'), await client.get('/readyz')];
    for (let i = 0; i < 20; i += 1) expect(await client.isSignedIn()).toBe(true);
    await disk.makeRoom();
    const readinessAfter = await client.get('/readyz');
    await load.atLeast(4);
    await load.stop();

    expect([out.status, out.body.code, out.cookies]).toEqual([503, 'OVERLOADED', []]);
    expect([login.status, login.body.code, login.cookies]).toEqual([503, 'OVERLOADED', []]);
    expect([health.status, readiness.status, readinessAfter.status]).toEqual([200, 503, 200]);
    expect(linesOf(service, 'database or disk is full').length).toBeGreaterThanOrEqual(load.ledger.outages);
    await expectPromisesKept('disk of SQLite full', services, load.ledger);
    expect((await client.logout()).status).toBe(200);
  },
);

/** Moves the tables of a server to the disk. Returns the URL of a database there. */
async function tablesOn(folder: string, server: string): Promise<string> {
  const place = join(folder, 'tables');
  await mkdir(place, { mode: 0o700 });
  const { uid, gid } = (await findAccount()) ?? (await stat(folder));
  await chown(place, uid, gid);
  await query(server, `create tablespace small location '${place}'`);
  await query(server, 'create database authsvc tablespace small');
  return server.replace(/\/postgres$/, '/authsvc');
}

test.skipIf(!hasDisks)(
  'the tables of PostgreSQL on a full disk: no write is half done, and writes work again once there is space',
  async (t) => {
    const disk = await smallDisk(t, 48);
    const server = await startPostgres();
    t.onTestFinished(() => server.stop());
    const { services, load } = await startUnderLoad(t, await tablesOn(disk.folder, server.url));
    const client = await signIn(services[0]);
    await load.atLeast(4);

    await disk.fill();
    await load.outages(6);
    const login = await client.clone().login({ username: 'bea', password: PASSWORD });
    for (let i = 0; i < 20; i += 1) expect(await client.isSignedIn()).toBe(true);
    const readiness = await client.get('/readyz');
    await disk.makeRoom();
    await load.atLeast(4);
    await load.stop();

    expect([login.status, login.cookies]).toEqual([503, []]);
    expect(readiness.status).toBe(200);
    expect(services.flatMap((service) => linesOf(service, 'No space left on device')).length).toBeGreaterThan(0);
    await expectPromisesKept('tables of PostgreSQL on a full disk', services, load.ledger);
  },
);

/** Moves the write-ahead log of a server to the disk. */
async function moveLog(folder: string, server: PostgresServer): Promise<void> {
  await server.halt();
  await eventually(async () => !existsSync(join(server.data, 'postmaster.pid')));
  const [from, to] = [join(server.data, 'pg_wal'), join(folder, 'log')];
  await execute('cp', ['--archive', from, to]);
  await rm(from, { recursive: true });
  await symlink(to, from);
  await server.resume();
}

const answers = (url: string): Promise<boolean> =>
  query(url, 'select pg_switch_wal()').then(
    () => true,
    () => false,
  );

test.skipIf(!hasDisks)(
  'the write-ahead log of PostgreSQL on a full disk: the server ends, and nothing is lost when it starts again',
  async (t) => {
    const disk = await smallDisk(t, 56);
    const server = await startPostgres();
    t.onTestFinished(() => server.stop());
    await moveLog(disk.folder, server);
    const { services, load } = await startUnderLoad(t, server.url);
    await load.atLeast(4);

    await disk.fill();
    await eventually(async () => !(await answers(server.url)));
    await load.outages(6);
    const readiness = await services[0]?.client().get('/readyz');
    await disk.makeRoom();
    await server.resume();
    await load.atLeast(4);
    await load.stop();

    expect(readiness?.status).toBe(503);
    await expectPromisesKept('log of PostgreSQL on a full disk', services, load.ledger);
  },
);

test.skipIf(!hasDisks)(
  'the log of the service on a full disk: the service continues, and says how many lines were lost',
  async (t) => {
    const disk = await smallDisk(t, 1);
    const { url, folder, drop } = await freshDatabase('sqlite');
    t.onTestFinished(drop);
    const place = { url, folder, log: join(disk.folder, 'log') };
    await makeDatabase(t, { url, folder });
    const user = await addUser(t, { url, folder }, 'ada');
    const service = await startService(t, place);
    const client = service.client();
    await client.login(user);

    await disk.fill();
    for (let i = 0; i < LINES; i += 1) expect(await client.isSignedIn()).toBe(true);
    const before = service.stdout();
    await disk.makeRoom();
    await eventually(
      async () => (await client.isSignedIn()) && service.stdout().includes('lines of the log were lost'),
    );

    expect(before).not.toContain('lines of the log were lost');
    const [, lost] = /"lines":(\d+),"msg":"lines of the log were lost/.exec(service.stdout()) ?? [];
    expect(Number(lost)).toBeGreaterThan(0);
    process.stderr.write(`log on a full disk: ${LINES} checks answered, ${lost} lines lost and reported\n`);
    const kept = service
      .stdout()
      .trimEnd()
      .split('\n')
      .filter((line) => line.includes('request'));
    for (const line of kept) expect(() => JSON.parse(line)).not.toThrow();
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  },
);

test.skipIf(!hasDisks)(
  'backup, export and copy onto a full disk: they say that the disk of the new file is full, and leave no new file',
  async (t) => {
    const disk = await smallDisk(t, 1);
    const place = await freshDatabase('sqlite');
    t.onTestFinished(place.drop);
    await makeDatabase(t, place);
    await addUser(t, place, 'ada');
    const [backup, dump, target] = ['backup', 'export', 'copy'].map((name) => join(disk.folder, name));
    const fault = async (...args: string[]) => (await runCommand(t, place, args)).stderr;

    // The disk is too small for the tables of a new database.
    const faults = [await fault('copy', '--from', place.url, '--to', `sqlite:${target}`)];
    await disk.fill();
    faults.push(await fault('backup', `${backup}`), await fault('export', '--to', `${dump}`));
    const left = await readdir(disk.folder);

    expect(faults).toEqual([
      `The database at ${target} cannot be used: no space is left on the disk. --to says where it is.\n`,
      'The backup could not be written: no space is left on the disk.\n',
      `The export could not be written: no space is left on the disk of ${dump}.\n`,
    ]);
    expect(left.filter((name) => !/^(ballast|copy.*)$/.test(name))).toEqual([]);
  },
);
