import { generateSync } from 'otplib';
import { expect, test, vi } from 'vitest';
import { readDataSealer } from '../../src/db/data-keys.ts';
import type { Database } from '../../src/db/handle.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { eachDatabase, type FreshDatabase, freshDatabase } from '../support/each-database.ts';
import { sendCode } from '../support/totp.ts';
import { addUser, makeDatabase, type Owner, runCommand, runProgram, startService } from './support.ts';

// The tests start many processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const [OLD, NEW] = ['an-old-session-secret-0123456789-abcdef', 'a-new-session-secret-0123456789-abcdef'];
const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const FACTORS = 3000;

const placeWith = (database: FreshDatabase, SESSION_SECRET_KEY: string) => ({
  ...database,
  settings: { AUTHSVC_TWO_FA_ENABLE: 'true', SESSION_SECRET_KEY },
});

async function open(t: Owner, { url }: FreshDatabase): Promise<Database> {
  const database = await openDatabase(url, { max: 2, isPatient: true, onTrouble: () => undefined });
  t.onTestFinished(database.close);
  return database;
}

/** Adds users whose second factors were sealed with a session secret, as versions without data keys did. */
async function addFormerFactors({ kysely }: Database): Promise<void> {
  const sealer = createSealer([OLD]);
  const numbers = Array.from({ length: FACTORS }, (_, at) => at + 1);
  const rest = { full_name: '', role: 'normaluser', allowed_apps: '[]', image: '', password_hash: '', created_at: 1 };
  for (let at = 0; at < FACTORS; at += 500) {
    const users = numbers.slice(at, at + 500).map((n) => ({ username: `u${n}`, username_key: `u${n}`, ...rest }));
    const rows = await kysely.insertInto('users').values(users).returning(['id', 'username']).execute();
    const factors = rows.map(({ id, username }) => ({
      user_id: id,
      secret: sealer.seal('totp secret', username),
      key_id: null,
      last_step: 0,
      confirmed_at: 1,
    }));
    await kysely.insertInto('totp_factors').values(factors).execute();
  }
}

const countFormer = async ({ kysely }: Database): Promise<number> =>
  (await kysely.selectFrom('totp_factors').select('id').where('key_id', 'is', null).execute()).length;

eachDatabase('data keys of real processes', (kind) => {
  test('services and migrations that start at once agree on one key, and switch to the new secret together', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const startAll = (secret: string) => {
      const place = placeWith(fresh, secret);
      const migrating = [1, 2].map(() => runCommand(t, place, ['migrate']));
      return Promise.all([startService(t, place), startService(t, place), ...migrating]);
    };

    const before = await startAll(OLD);
    const carol = await addUser(t, placeWith(fresh, OLD), 'carol');
    await runCommand(t, placeWith(fresh, OLD), ['2fa', 'enable', 'carol', '--secret', SECRET]);
    const database = await open(t, fresh);
    expect(await database.kysely.selectFrom('data_keys').select('id').execute()).toHaveLength(1);
    for (const service of before.slice(0, 2)) if ('stop' in service) await service.stop();

    const rotating = await startAll(`${NEW},${OLD}`);
    for (const service of rotating.slice(0, 2)) if ('stop' in service) await service.stop();
    const service = await startService(t, placeWith(fresh, NEW));

    const client = service.client();
    await client.login(carol);
    expect((await sendCode(client, generateSync({ secret: SECRET }))).status).toBe(200);
    expect(await readDataSealer(database, [OLD])).toBeUndefined();
  });

  test('a migration to data keys that is killed again and again completes in the end', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const place = placeWith(fresh, `${NEW},${OLD}`);
    await makeDatabase(t, place);
    const database = await open(t, fresh);
    await addFormerFactors(database);

    let former = FACTORS;
    for (let kills = 0; kills < 3 && former > 0; kills += 1) {
      const program = runProgram(t, place, ['migrate']);
      while (program.isRunning() && (await countFormer(database)) === former);
      program.signal('SIGKILL');
      await program.ended;
      former = await countFormer(database);
    }
    expect((await runCommand(t, place, ['migrate'])).stderr).toBe('');

    const dataSealer = await readDataSealer(database, [NEW]);
    const rows = await database.kysely
      .selectFrom('totp_factors')
      .innerJoin('users', 'users.id', 'totp_factors.user_id')
      .select(['users.username', 'totp_factors.secret'])
      .execute();
    const secrets = rows.map((row) => dataSealer?.open('totp secret', row.secret));
    expect(secrets).toEqual(rows.map(({ username }) => username));
    expect(rows).toHaveLength(FACTORS);
  });

  test('commands with another secret say which users are affected, and encrypt nothing with it', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const [right, wrong] = [placeWith(fresh, OLD), placeWith(fresh, NEW)];
    await makeDatabase(t, right);
    for (const name of ['carol', 'dave']) {
      await addUser(t, right, name);
      await runCommand(t, right, ['2fa', 'enable', name]);
    }
    await addUser(t, right, 'erin');

    const lists = [];
    for (const place of [right, wrong]) lists.push((await runCommand(t, place, ['2fa', 'list', '--json'])).json);
    const shown = await runCommand(t, wrong, ['2fa', 'list', '--unreadable']);
    const enabled = await runCommand(t, wrong, ['2fa', 'enable', 'erin']);
    const migrated = await runCommand(t, wrong, ['migrate']);

    const facts = { enabled_at: expect.stringMatching(/Z$/), trusted_devices: 0 };
    expect(lists).toEqual([
      ['carol', 'dave'].map((username) => ({ username, readable: true, recovery_codes_left: 10, ...facts })),
      ['carol', 'dave'].map((username) => ({ username, readable: false, recovery_codes_left: 0, ...facts })),
    ]);
    expect(shown.stdout).toMatch(/carol[\s\S]*dave/);
    expect([enabled.code, enabled.stderr]).toEqual([
      1,
      expect.stringContaining('SESSION_SECRET_KEY opens no data key'),
    ]);
    expect([migrated.code, migrated.stderr]).toEqual([0, expect.stringContaining('second factors of 2 users')]);
    expect((await runCommand(t, right, ['2fa', 'list', '--unreadable', '--json'])).json).toEqual([]);
  });
});
