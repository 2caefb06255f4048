import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { generateSync } from 'otplib';
import { expect, test, vi } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { query } from '../failures/support.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startPostgres } from '../support/postgres.ts';
import { addUser, makeDatabase, type Owner, PASSWORD, type Place, runCommand, startService } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const LIBRARY = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu']
  .map((folder) => `${folder}/faketime/libfaketime.so.1`)
  .find(existsSync);
if (!LIBRARY) process.stderr.write('libfaketime is not installed, its tests are left out: apt-get install faketime\n');

/** Creates a clock that programs of the system read in place of the real one. */
async function systemClock(t: Owner, library: string) {
  const folder = await mkdtemp(join(tmpdir(), 'authsvc-clock-'));
  t.onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const file = join(folder, 'now');
  let offset = 0;
  const set = async (milliseconds: number) => {
    offset = milliseconds;
    await writeFile(file, `${milliseconds < 0 ? '' : '+'}${milliseconds / 1000}\n`);
  };
  await set(0);
  return {
    set,
    seconds: () => Math.floor((Date.now() + offset) / 1000),
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  };
}

/** Starts a server with the clock in `env`. The processes that it starts inherit the clock. */
async function shiftedPostgres(env: Record<string, string>) {
  Object.assign(process.env, env);
  try {
    return await startPostgres();
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
  }
}

async function millisecondsAhead(url: string): Promise<number> {
  const [row] = await query(url, 'select extract(epoch from clock_timestamp())::float8 * 1000 as now');
  return Number(row?.now) - Date.now();
}

eachDatabase('a system clock that is a day ahead and is then set right', (database) => {
  test.skipIf(!LIBRARY)('no limit, code or count from that time locks a user out', async (t) => {
    const clock = await systemClock(t, LIBRARY ?? '');
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    const server = database === 'postgres' ? await shiftedPostgres(clock.env) : undefined;
    if (server) t.onTestFinished(() => server.stop());
    const settings = { ...clock.env, AUTHSVC_TWO_FA_ENABLE: 'true', LOGIN_UNKNOWN_USER_STATUS: '401' };
    const place: Place = { url: server?.url ?? fresh.url, folder: fresh.folder, settings };
    await makeDatabase(t, place);
    const ada = await addUser(t, place, 'ada');
    const bea = await addUser(t, place, 'bea');
    const enabled = await runCommand(t, place, ['2fa', 'enable', 'bea', '--json']);
    const { secret } = JSON.parse(enabled.stdout);

    /** Signs the user bea in with the current code. */
    const signInWithCode = async (client: ReturnType<Awaited<ReturnType<typeof startService>>['client']>) => {
      await client.login(bea);
      const token = generateSync({ secret, epoch: clock.seconds() });
      return client.post('/authsvc/api/verify-2fa', { token, _csrf: await client.csrf('/authsvc/2fa') });
    };

    await clock.set(DAY_MS);
    const ahead = await startService(t, place);
    expect((await signInWithCode(ahead.client())).status).toBe(200);
    let last = await ahead.client().login({ ...ada, password: 'wrong-horse-1' });
    for (let i = 0; i < 20 && last.status !== 429; i += 1)
      last = await ahead.client().login({ ...ada, password: 'wrong-horse-1' });
    expect(last.status).toBe(429);
    expect(Date.parse(String(last.headers.date)) - Date.now()).toBeGreaterThan(DAY_MS / 2);
    if (server) expect(await millisecondsAhead(server.url)).toBeGreaterThan(DAY_MS / 2);
    await ahead.stop();

    await clock.set(0);
    const right = await startService(t, place);
    const login = await right.client().login({ username: 'ada', password: PASSWORD });
    const withCode = await signInWithCode(right.client());

    expect([login.status, login.body.code]).toEqual([200, undefined]);
    expect([withCode.status, withCode.body.code]).toEqual([200, undefined]);
    expect((await right.client().get('/readyz')).status).toBe(200);
  });
});
