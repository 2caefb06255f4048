import { randomInt } from 'node:crypto';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, ClientError, createAdmin } from 'authsvc-client/admin';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/db/open.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { addUser, makeDatabase, type Place, type Service, startService } from './support.ts';

/**
 * How often the server is killed. Some changes are acknowledged before each kill. Set AUTHSVC_TEST_KILLS=100 for a
 * thorough run.
 */
const KILLS = Number(process.env.AUTHSVC_TEST_KILLS ?? 3);
const CHANGES_A_KILL = 12;
const AT_ONCE = 4;
const PREFIX = 'trial-';

vi.setConfig({ testTimeout: 60_000 + KILLS * 20_000 });

/** The results that the service has acknowledged: the version of each user, and the users that it has removed. */
interface Acknowledged {
  changes: number;
  versions: Map<string, number>;
  removed: Set<string>;
}

/** Acts as one superadmin: adds a user, changes the user a few times and, half of the time, removes the user again. */
async function manage(admin: Admin, seen: Acknowledged, username: string): Promise<void> {
  const note = (version: number) => {
    seen.changes += 1;
    seen.versions.set(username, version);
  };
  let { user } = await admin.call('POST /users', { username });
  note(user.version);
  const changes = [
    () => admin.call('PATCH /users/:id', { id: user.id, version: user.version, full_name: `Name ${user.version}` }),
    () => admin.call('PATCH /users/:id', { id: user.id, version: user.version, allowed_apps: [`app-${user.version}`] }),
    () => admin.call('PATCH /users/:id', { id: user.id, version: user.version, is_active: !user.is_active }),
    () => admin.call('POST /users/:id/connections', { id: user.id, provider: 'codehost', account_id: username }),
  ];
  for (const change of changes.slice(randomInt(changes.length))) {
    ({ user } = await change());
    note(user.version);
  }
  if (randomInt(2) === 0) return;
  await admin.call('DELETE /users/:id', { id: user.id, version: user.version });
  seen.changes += 1;
  seen.removed.add(username);
}

/**
 * Lets superadmins change users until enough changes were acknowledged. A moment later it kills the server while they
 * work.
 */
async function manageAndKill(service: Service, token: string, seen: Acknowledged): Promise<void> {
  const enough = seen.changes + CHANGES_A_KILL;
  const admin = createAdmin({ server: `http://127.0.0.1:${service.port}`, token });
  const work = async () => {
    while (service.isRunning()) {
      await manage(admin, seen, `${PREFIX}${randomInt(2 ** 40)}`).catch((error: unknown) => {
        if (!(error instanceof ClientError) || error.reason !== 'unreachable') throw error;
      });
    }
  };
  const kill = async () => {
    while (seen.changes < enough && service.isRunning()) await sleep(5);
    await sleep(randomInt(40));
    service.signal('SIGKILL');
    await service.ended;
  };
  await Promise.all([kill(), ...Array.from({ length: AT_ONCE }, work)]);
}

/** Reads the users, and the events about them, from the database. */
async function readAll(url: string) {
  const database = await openDatabase(url, { max: 1, isPatient: true, onTrouble: () => undefined });
  const users = await database.kysely.selectFrom('users').select(['username', 'version']).execute();
  const events = await database.kysely.selectFrom('audit_events').select(['event', 'subject_name']).execute();
  await database.close();
  const versions = new Map(users.map(({ username, version }) => [username, Number(version)]));
  const counts = new Map<string, { created: number; changed: number; removed: number }>();
  for (const { event, subject_name: name } of events) {
    if (!name?.startsWith(PREFIX)) continue;
    const count = counts.get(name) ?? { created: 0, changed: 0, removed: 0 };
    counts.set(name, count);
    const kind = event === 'user.created' ? 'created' : event === 'user.removed' ? 'removed' : 'changed';
    count[kind] += 1;
  }
  return { versions, counts };
}

eachDatabase(`killed ${KILLS} times while superadmins change users`, (kind) => {
  test('every acknowledged change has its row in the audit log, and every row has its change', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const settings = {
      RATE_LIMITS: 'admin-change=1000000/60s',
      CODEHOST_LOGIN_ENABLED: 'true',
      CODEHOST_APP_CLIENT_ID: 'id',
      CODEHOST_APP_CLIENT_SECRET: 'secret',
    };
    const place: Place = { ...fresh, settings };
    await makeDatabase(t, place);
    const root = await addUser(t, place, 'root', ['--role', 'superadmin']);
    const seen: Acknowledged = { changes: 0, versions: new Map(), removed: new Set() };
    let token = '';

    for (let i = 0; i < KILLS; i += 1) {
      const service = await startService(t, place);
      if (i === 0) {
        const client = service.client();
        await client.login(root);
        ({ token } = await createToken(client, { scope: 'admin' }));
      }
      await manageAndKill(service, token, seen);
    }

    const service = await startService(t, place);
    await service.stop();
    const { versions, counts } = await readAll(fresh.url);
    for (const [name, version] of seen.versions) {
      expect(counts.get(name)?.created, name).toBe(1);
      if (versions.has(name)) expect(versions.get(name), name).toBeGreaterThanOrEqual(version);
      else expect(counts.get(name)?.changed, name).toBeGreaterThanOrEqual(version - 1);
    }
    for (const name of seen.removed) expect([versions.has(name), counts.get(name)?.removed], name).toEqual([false, 1]);
    for (const [name, count] of counts) {
      const version = versions.get(name);
      const { created, removed } = count;
      expect({ name, created, removed }).toEqual({ name, created: 1, removed: version === undefined ? 1 : 0 });
      if (version !== undefined) expect({ name, changed: count.changed }).toEqual({ name, changed: version - 1 });
    }
    const named = [...versions.keys()].filter((name) => name.startsWith(PREFIX));
    expect(named.filter((name) => !counts.has(name))).toEqual([]);
    expect(seen.changes).toBeGreaterThanOrEqual(KILLS * CHANGES_A_KILL);
    process.stderr.write(`killed ${KILLS} times on ${kind}: ${seen.changes} acknowledged changes, each with its row\n`);
  });
});
