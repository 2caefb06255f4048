import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { freshPostgresDatabase, startPostgres } from './postgres.ts';

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(sql).finally(() => client.end());
  return rows;
}

test('two new databases do not see each other', async () => {
  const [one, other] = await Promise.all([freshPostgresDatabase(), freshPostgresDatabase()]);
  onTestFinished(() => Promise.all([one.drop(), other.drop()]).then(() => undefined));

  await ask(one.url, 'create table pets (name text)');

  await expect(ask(one.url, 'select * from pets')).resolves.toEqual([]);
  await expect(ask(other.url, 'select * from pets')).rejects.toThrow('does not exist');
});

test('a dropped database no longer exists, and its open connections are closed', async () => {
  const { url, drop } = await freshPostgresDatabase();
  const open = new Client({ connectionString: url });
  open.on('error', () => undefined);
  await open.connect();

  await drop();

  await expect(ask(url, 'select 1')).rejects.toThrow('does not exist');
});

test('the server keeps acknowledged data and accepts many connections', async () => {
  const { url, drop } = await freshPostgresDatabase();
  onTestFinished(drop);

  const [settings] = await ask(
    url,
    "select current_setting('fsync') as fsync, current_setting('max_connections') as connections",
  );

  expect(settings).toEqual({ fsync: 'on', connections: '200' });
});

test('letters beyond ASCII are compared without regard to case, as on any server', async () => {
  const { url, drop } = await freshPostgresDatabase();
  onTestFinished(drop);

  expect(await ask(url, "select lower('ÅÉ') as name")).toEqual([{ name: 'åé' }]);
});

test('a stopped server leaves neither process nor folder', async () => {
  const server = await startPostgres();
  const [place] = await ask(server.url, "select current_setting('data_directory') as folder");
  const folder = String(place?.folder);
  const processId = Number((await readFile(`${folder}/postmaster.pid`, 'utf8')).split('\n')[0]);

  await server.stop();

  expect(existsSync(folder)).toBe(false);
  expect(() => process.kill(processId, 0)).toThrow('ESRCH');
});

test('a server ends when the process that started it is killed', async () => {
  const program = `
    const { startPostgres } = await import('${new URL('./postgres.ts', import.meta.url).href}');
    console.log((await startPostgres()).url);
    process.kill(process.pid, 'SIGKILL');`;
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program]);
  const { stdout } = await run.catch((killed: { stdout: string }) => killed);
  const url = stdout.trim();

  expect(url).toMatch(/^postgres:/);
  await expect.poll(() => ask(url, 'select 1').catch(String), { timeout: 10_000 }).toContain('ECONNREFUSED');
});

test('a server that is halted refuses connections and comes back on the same port with its data', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  await ask(server.url, 'create table pets (name text)');
  const open = new Client({ connectionString: server.url });
  open.on('error', () => undefined);
  await open.connect();

  await server.halt();
  await expect(open.query('select 1')).rejects.toThrow();
  await expect(ask(server.url, 'select 1')).rejects.toThrow();
  await server.resume();

  expect(await ask(server.url, 'select * from pets')).toEqual([]);
});
