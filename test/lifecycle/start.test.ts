import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { Client } from '../support/client.ts';
import { type DatabaseKind, eachDatabase, type FreshDatabase, freshDatabase } from '../support/each-database.ts';
import {
  addUser,
  makeDatabase,
  type Owner,
  type Place,
  runCommand,
  type Service,
  startService,
  writeDotenv,
} from './support.ts';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

async function emptyPlace(t: Owner, kind: DatabaseKind): Promise<FreshDatabase> {
  const fresh = await freshDatabase(kind);
  t.onTestFinished(fresh.drop);
  return fresh;
}

/** Runs a statement on the database over a separate connection, as an operator would. */
async function onDatabase(url: string, statement: string): Promise<unknown[]> {
  const database = await openDatabase(url, { max: 1, isPatient: false, onTrouble: () => undefined });
  try {
    return (await sql.raw(statement).execute(database.kysely)).rows;
  } finally {
    await database.close();
  }
}

const passwordIn = (text: string) => /^ +password +(\S+)$/m.exec(text)?.[1];

/** Returns the password of the first superadmin, which is printed once the service listens. */
const printedPassword = (service: Service): Promise<string> =>
  vi.waitFor(
    () => {
      const password = passwordIn(service.stderr());
      if (password === undefined) throw new Error(`no password was printed: ${service.stderr()}`);
      return password;
    },
    { timeout: 10_000 },
  );

eachDatabase('the first start', (kind) => {
  test('adds a superadmin and prints the password once, only on stderr', async (t) => {
    const place = await emptyPlace(t, kind);
    const service = await startService(t, place);
    const password = await printedPassword(service);

    const reply = await service.client().login({ username: 'superadmin', password });

    expect(reply.status).toBe(200);
    expect(password.length).toBeGreaterThanOrEqual(20);
    expect(service.stdout()).not.toContain(password);
    expect(service.stderr()).toContain(`Sign in at  http://localhost:${service.port}/login\n`);
    await service.stop();
    const again = await startService(t, place);
    expect(again.stderr()).toBe('');
    expect((await again.client().login({ username: 'superadmin', password })).status).toBe(200);
  });

  test('adds no superadmin if there is a user', async (t) => {
    const place = await emptyPlace(t, kind);
    await makeDatabase(t, place);
    await addUser(t, place, 'ada');

    const service = await startService(t, place);

    expect(service.stderr()).toBe('');
    const { json } = await runCommand(t, place, ['user', 'list', '--json']);
    expect(json).toMatchObject([{ username: 'ada' }]);
  });

  test('of five processes at once on an empty database: all start, with one superadmin and one password', async (t) => {
    const place: Place = { ...(await emptyPlace(t, kind)), settings: { SESSION_SECRET_KEY: '' } };

    const services = await Promise.all(Array.from({ length: 5 }, () => startService(t, place)));

    const password = await Promise.any(services.map(printedPassword));
    const { json } = await runCommand(t, place, ['user', 'list', '--json']);
    expect(json).toMatchObject([{ username: 'superadmin', role: 'superadmin' }]);
    const [first] = services;
    const client = first?.client() ?? new Client(() => 0);
    expect((await client.login({ username: 'superadmin', password })).status).toBe(200);
    for (const service of services) {
      const other = new Client(() => service.port);
      for (const [name, value] of client.jar) other.jar.set(name, value);
      expect(await other.isSignedIn()).toBe(true);
    }
    const endings = await Promise.all(services.map((service) => service.stop()));
    expect(services.filter((service) => passwordIn(service.stderr()))).toHaveLength(1);
    expect(endings).toEqual(Array(5).fill({ code: 0, signal: null }));
  });
});

eachDatabase('a database that cannot be used', (kind) => {
  test('of a newer version is refused by every command, with advice and without any change', async (t) => {
    const place = await emptyPlace(t, kind);
    await makeDatabase(t, place);
    await addUser(t, place, 'ada');
    const name = '9999-of-the-future';
    await onDatabase(place.url, `insert into kysely_migration (name, timestamp) values ('${name}', '2099-01-01')`);

    for (const args of [['serve'], ['migrate'], ['user', 'list'], ['user', 'set', 'ada', '--inactive']]) {
      const { code, stdout, stderr } = await runCommand(t, place, args);
      expect([args, code]).toEqual([args, 1]);
      expect(stderr).toMatch(/newer version/);
      expect(stderr).toContain(name);
      expect(stderr).not.toMatch(/\bat .+:\d+:\d+/);
      expect(stdout).toBe('');
    }
    expect(await onDatabase(place.url, 'select deactivated_at from users')).toEqual([{ deactivated_at: null }]);
    const { json } = await runCommand(t, place, ['migrate', '--status', '--json']);
    expect(json).toMatchObject({ pending: [], unknown: [name] });
  });

  test('of an older version is refused by commands, and the message names `authsvc migrate`', async (t) => {
    const place = await emptyPlace(t, kind);
    await runCommand(t, place, ['migrate']);
    const [last] = await onDatabase(place.url, 'select max(name) as name from kysely_migration');
    await onDatabase(place.url, 'delete from kysely_migration where name = (select max(name) from kysely_migration)');

    const { code, stderr } = await runCommand(t, place, ['user', 'list']);

    expect(code).toBe(1);
    expect(stderr).toMatch(/Run: node \S+main\.js migrate\n$/);
    expect(stderr).toContain(String(Object.values({ ...Object(last) })[0]));
  });

  test('makes the start and the commands print its place and the fault in one line, and exit with 1', async (t) => {
    const place = await emptyPlace(t, kind);
    await writeDotenv(place.folder, []);
    const inFile = `sqlite:${join(place.folder, '.env', 'authsvc.sqlite')}`;
    const url = kind === 'sqlite' ? inFile : 'postgres://nobody:secret-word@127.0.0.1:1/x';

    for (const args of [['serve'], ['migrate'], ['user', 'list']]) {
      const { code, stdout, stderr } = await runCommand(t, { ...place, url }, args);
      expect([args, code, stdout]).toEqual([args, 1, '']);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).toContain(kind === 'sqlite' ? join(place.folder, '.env') : 'postgres://127.0.0.1:1/x');
      expect(stderr).toMatch(/DATABASE_URL/);
      expect(stderr).not.toMatch(/secret-word|\bat .+:\d+:\d+/);
    }
  });

  test('that is empty stays empty, and commands name `authsvc migrate`', async (t) => {
    const place = await emptyPlace(t, kind);
    if (kind === 'sqlite') await writeFile(place.url.replace('sqlite:', ''), '');

    const { code, stderr } = await runCommand(t, place, ['user', 'list']);

    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database at .* is empty\..*main\.js migrate\n$/)]);
    const { json } = await runCommand(t, place, ['migrate', '--status', '--json']);
    expect(json).toMatchObject({ applied: [] });
  });
});

test('without an SQLite file, commands create none and say where they looked', async (t) => {
  const place = await emptyPlace(t, 'sqlite');

  for (const args of [
    ['user', 'list'],
    ['session', 'revoke-all'],
    ['migrate', '--status'],
  ]) {
    const { code, stderr } = await runCommand(t, { ...place, url: '' }, args);

    expect([args, code]).toEqual([args, 1]);
    expect(stderr).toMatch(/^There is no database at .*main\.js migrate\n$/);
    expect(stderr).toContain(join(place.folder, 'data/authsvc.sqlite'));
  }
  expect(await readdir(place.folder)).toEqual([]);
});

test('on a PostgreSQL server without the database the message says how to create it', async (t) => {
  const { url, folder } = await emptyPlace(t, 'postgres');
  const elsewhere = { folder, url: url.replace(/\/[^/]*$/, '/not_there') };

  const { code, stderr } = await runCommand(t, elsewhere, ['user', 'list']);

  expect([code, stderr]).toEqual([1, expect.stringMatching(/^There is no database at .*\/not_there\..*createdb.*\n$/)]);
});

test('a path in which nothing can be created fails at once', async (t) => {
  const place = { ...(await emptyPlace(t, 'sqlite')), url: 'sqlite:/proc/nowhere/below' };

  for (const args of [['serve'], ['migrate']]) {
    const from = performance.now();
    const { code, stderr } = await runCommand(t, place, args);

    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^The database at \/proc\/nowhere\/below cannot be used: .*\n$/),
    ]);
    expect(performance.now() - from).toBeLessThan(15_000);
  }
});

test('the secret is created beside the database with mode 0600, and kept', async (t) => {
  const fresh = await emptyPlace(t, 'sqlite');
  const place: Place = {
    ...fresh,
    url: `sqlite:${join(fresh.folder, 'data/authsvc.sqlite')}`,
    settings: { SESSION_SECRET_KEY: '' },
  };
  const service = await startService(t, place);
  const client = service.client();
  await client.login({ username: 'superadmin', password: await printedPassword(service) });

  const folder = join(fresh.folder, 'data');
  const others = (await readdir(folder)).filter((name) => !name.startsWith('authsvc.sqlite'));
  expect(others).toHaveLength(1);
  const file = join(folder, others[0] ?? '');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const secret = (await readFile(file, 'utf8')).trim();
  expect(secret.length).toBeGreaterThanOrEqual(43);
  expect(service.stdout() + service.stderr()).not.toContain(secret);

  await service.stop();
  const again = await startService(t, place);
  const later = new Client(() => again.port);
  for (const [name, value] of client.jar) later.jar.set(name, value);
  expect(await later.isSignedIn()).toBe(true);
  expect((await readFile(file, 'utf8')).trim()).toBe(secret);
});

test('a secret that cannot be read stops the start, and no other replaces it', async (t) => {
  const place: Place = { ...(await emptyPlace(t, 'sqlite')), settings: { SESSION_SECRET_KEY: '' } };
  await mkdir(join(place.folder, 'session-secret'));
  await chmod(place.folder, 0o700);

  const { code, stderr } = await runCommand(t, place, ['serve']);

  expect(code).toBe(1);
  expect(stderr).toContain('session-secret');
});

test('if the port is taken, the start prints advice in one line, exits with 1, and adds no superadmin', async (t) => {
  const other = await startService(t, await emptyPlace(t, 'sqlite'));
  const place = await emptyPlace(t, 'sqlite');

  const failed = await runCommand(t, { ...place, settings: { PORT: String(other.port) } }, ['serve']);

  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(new RegExp(`^Port ${other.port} is in use by another program\\..*PORT=.*--port.*\\n$`));
  expect((await runCommand(t, place, ['user', 'list', '--json'])).json).toEqual([]);
  const service = await startService(t, place);
  const password = await printedPassword(service);
  expect((await service.client().login({ username: 'superadmin', password })).status).toBe(200);
});

test('if HOST is an address of another machine, the start prints advice in one line and exits with 1', async (t) => {
  const place = await emptyPlace(t, 'sqlite');

  for (const HOST of ['192.0.2.1', 'nowhere.invalid']) {
    const { code, stderr } = await runCommand(t, { ...place, settings: { HOST } }, ['serve']);

    expect([code, stderr]).toEqual([1, expect.stringMatching(/^\S+ is no address of this machine\..*--host.*\n$/)]);
    expect(stderr).toContain(HOST);
  }
});

test('--host and --port override the settings, and the log says where the service listens', async (t) => {
  const place: Place = { ...(await emptyPlace(t, 'sqlite')), settings: { PORT: '1', HOST: '192.0.2.1' } };

  const service = await startService(t, place, ['--host', '127.0.0.1', '--port', '0']);

  expect((await service.client().get('/healthz')).body).toEqual({ status: 'ok' });
  expect(service.stdout()).toContain(`listening at http://127.0.0.1:${service.port}`);
});

test('every line of the log is one JSON object', async (t) => {
  const place = await emptyPlace(t, 'sqlite');
  const service = await startService(t, place);
  await service.client().page('/authsvc/login');
  await service.client().post('/authsvc/api/login', {});
  await service.stop();

  const lines = service.stdout().trim().split('\n');

  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines)
    expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) });
});

eachDatabase('a service and a database in other time zones', (kind) => {
  test('make a session neither longer nor shorter, and its expiry is shown in UTC', async (t) => {
    const zones = { TZ: 'Pacific/Auckland', PGOPTIONS: '-c timezone=America/Los_Angeles' };
    const place = { ...(await emptyPlace(t, kind)), settings: zones };
    await makeDatabase(t, place);
    const user = await addUser(t, place, 'ada');
    const client = (await startService(t, place)).client();

    await client.login(user);
    const { session_valid, expiry } = (await client.get('/authsvc/api/checkSession')).body;

    expect([session_valid, String(expiry).endsWith('Z')]).toEqual([true, true]);
    expect(Math.abs(Date.parse(String(expiry)) - Date.now() - 2 * 86_400_000)).toBeLessThan(60_000);
  });
});
