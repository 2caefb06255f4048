import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { addUser, makeDatabase, type Owner, type Place, runCommand, startService, writeDotenv } from './support.ts';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

const DAY = 24 * 60 * 60 * 1000;

async function somewhere(t: Owner): Promise<Place> {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  return fresh;
}

/** Returns how many days a session lasts, which shows the value of COOKIE_EXPIRE_TIME that the service uses. */
async function sessionDays(t: Owner, place: Place): Promise<number> {
  await makeDatabase(t, place);
  const user = await addUser(t, place, 'ada');
  const client = (await startService(t, place)).client();
  await client.login(user);
  const { body } = await client.get('/authsvc/api/checkSession');
  return (Date.parse(String(body.expiry)) - Date.now()) / DAY;
}

test('the environment overrides .env, .env overrides authsvcShared, and empty values count as missing', async (t) => {
  const shared = (key: string, value: string) => JSON.stringify({ [key]: value });
  const sources: [string, string[], Record<string, string>, number][] = [
    ['environment', ['COOKIE_EXPIRE_TIME=3'], { COOKIE_EXPIRE_TIME: '5' }, 5],
    ['.env', ['COOKIE_EXPIRE_TIME=3'], { authsvcShared: shared('COOKIE_EXPIRE_TIME', '7') }, 3],
    ['authsvcShared', ['COOKIE_EXPIRE_TIME='], { authsvcShared: shared('COOKIE_EXPIRE_TIME', '7') }, 7],
  ];

  const days = await Promise.all(
    sources.map(async ([, lines, settings]) => {
      const place = await somewhere(t);
      await writeDotenv(place.folder, lines);
      return sessionDays(t, { ...place, settings });
    }),
  );

  const close = sources.map(([name, , , expected], at) => [name, Math.abs((days[at] ?? 0) - expected) < 0.01]);
  expect(close).toEqual(sources.map(([name]) => [name, true]));
});

test('one message on stderr lists every invalid setting with an example and no secret, and nothing is created', async (t) => {
  const place = await somewhere(t);
  await writeDotenv(place.folder, ['PORT=eighty', 'SESSION_SECRET_KEY=too-short-a-secret']);
  const settings = {
    PORT: '',
    SESSION_SECRET_KEY: '',
    COOKIE_EXPIRE_TIME: '-1',
    MAX_SESSIONS_PER_USER: 'many',
    RATE_LIMITS: 'off',
    IS_DEPLOYED: 'perhaps',
    TRUST_PROXY: 'sometimes',
    authsvcShared: '{broken',
  };

  for (const args of [['serve'], ['user', 'list'], ['migrate']]) {
    const { code, stdout, stderr } = await runCommand(t, { ...place, settings }, args);
    expect([args, code, stdout]).toEqual([args, 1, '']);
    const lines = stderr.trim().split('\n');
    const keys = ['PORT', ...Object.keys(settings).filter((key) => key !== 'PORT')];
    expect(lines).toHaveLength(keys.length + 1);
    for (const key of keys) {
      expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^  ${key}: expected .+ Example: ${key}=.+`)));
    }
    expect(stderr).not.toContain('too-short-a-secret');
  }
  const { code } = await runCommand(t, place, ['user', 'show', 'superadmin']);
  expect(code).toBe(1);
});

test('production requires an https address and a secret', async (t) => {
  const place = await somewhere(t);
  const start = (settings: Record<string, string>) =>
    runCommand(t, { ...place, settings: { IS_DEPLOYED: 'true', ...settings } }, ['serve']);

  const [bare, plain] = await Promise.all([
    start({ SESSION_SECRET_KEY: '' }),
    start({ BASE_URL: 'http://auth.example.test' }),
  ]);

  expect(bare.code).toBe(1);
  expect(bare.stderr).toMatch(
    /BASE_URL[^\n]*https[\s\S]*SESSION_SECRET_KEY|SESSION_SECRET_KEY[\s\S]*BASE_URL[^\n]*https/,
  );
  expect(plain.code).toBe(1);
  expect(plain.stderr).toMatch(/BASE_URL[^\n]*https/);
  expect(plain.stderr).not.toContain('SESSION_SECRET_KEY');
});

test('a secret file that cannot be created is reported, with the setting that replaces it', async (t) => {
  const fresh = await freshDatabase('postgres');
  t.onTestFinished(fresh.drop);
  await writeFile(join(fresh.folder, 'data'), 'a file where the folder should be');

  for (const args of [['serve'], ['serve', '--workers', '2']]) {
    const place = { ...fresh, settings: { SESSION_SECRET_KEY: '' } };
    const { code, stderr } = await runCommand(t, place, args);

    expect([args, code]).toEqual([args, 1]);
    expect(stderr).toMatch(/^SESSION_SECRET_KEY is not set, .*Set SESSION_SECRET_KEY.*\n$/);
    expect(stderr).toContain(join(fresh.folder, 'data/session-secret'));
  }
});

test('an SQLite file is created at its path, and a database in memory is refused', async (t) => {
  const place = await somewhere(t);
  const migrate = (url: string) => runCommand(t, { ...place, url }, ['migrate']);

  for (const url of ['sqlite::memory:', 'sqlite://data/x.sqlite', 'sqlite:file:x.sqlite']) {
    const { code, stderr } = await migrate(url);
    expect([url, code]).toEqual([url, 1]);
    expect(stderr).toMatch(/^ {2}DATABASE_URL: expected sqlite:PATH of a file .*Example/m);
  }
  expect(await readdir(place.folder)).toEqual([]);

  expect((await migrate('sqlite://./below/x.sqlite')).code).toBe(0);
  expect(await readdir(join(place.folder, 'below'))).toContain('x.sqlite');
});
