import { expect, test, vi } from 'vitest';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import {
  approveDevice,
  personOf,
  pollDevice,
  refresh,
  registerRelyingParty,
  signInTo,
} from '../support/relying-party.ts';
import { startApp } from '../support/start-app.ts';
import { runCommand } from './support.ts';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** Long enough for a busy machine. Every wait ends as soon as its condition is true. */
const patience = { timeout: 30_000, interval: 50 };
const listOf = (json: unknown): unknown[] => (Array.isArray(json) ? json : []);
const instant = expect.stringMatching(/^\d{4}-.*Z$/);

eachDatabase('commands of OpenID Connect, while the server runs', (database) => {
  test('grant lists the access that people gave to applications, and ends it', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const app = await startApp(t, { database: fresh });
    const wiki = await registerRelyingParty(app, { deviceFlow: true });
    const other = await registerRelyingParty(app);
    const { user, browser } = await personOf(app, wiki, other);
    const program = app.client();
    await signInTo(program, browser, wiki);
    const { body: device } = await pollDevice(program, wiki, await approveDevice(program, browser, wiki));
    await signInTo(program, browser, other, { scope: 'openid offline_access' });
    const run = (...args: string[]) => runCommand(t, fresh, ['grant', ...args, '--json']);

    const own = await run('list', user.username.toUpperCase(), '--app', wiki.key);
    const all = await run('list');
    const ref = String(Object(listOf(own.json).find((grant) => Object(grant).kind === 'device')).ref);
    const revoked = await run('revoke', ref);
    const again = await run('revoke', ref);
    const wrong = [await run('list', 'nobody'), await run('list', '--app', 'nobody')];

    const common = {
      ref: expect.any(String),
      app: { key: wiki.key, name: 'Wiki' },
      username: user.username,
      created_at: instant,
      last_used_at: instant,
    };
    expect(listOf(own.json)).toHaveLength(2);
    expect(own.json).toContainEqual({ ...common, kind: 'session', scopes: ['openid', 'profile'] });
    expect(own.json).toContainEqual({ ...common, kind: 'device', scopes: ['openid'] });
    expect(
      listOf(all.json)
        .map((grant) => String(Object(grant).kind))
        .sort(),
    ).toEqual(['device', 'offline', 'session']);
    expect([revoked.code, revoked.json]).toEqual([0, { ref, username: user.username, revoked: true }]);
    expect((await refresh(program, wiki, device.refresh_token)).body.error).toBe('invalid_grant');
    expect([again.code, again.stderr]).toEqual([1, `There is no grant "${ref}".\n`]);
    expect(wrong.map(({ code, stdout }) => [code, stdout])).toEqual(wrong.map(() => [1, '']));
  });

  test('keys lists the keys, replaces them, and stops publishing the old ones', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const app = await startApp(t, { database: fresh });
    await registerRelyingParty(app);
    await app.client().get('/authsvc/oidc/jwks');
    const secret = [app.services.settings.SESSION_SECRET_KEY ?? ''].flat().join(',');
    const place = { ...fresh, settings: { SESSION_SECRET_KEY: secret } };
    const run = (...args: string[]) => runCommand(t, place, ['keys', ...args, '--json']);
    const published = async () => listOf((await app.client().get('/authsvc/oidc/jwks')).body.keys).length;

    const first = await run('list');
    const rotated = await run('rotate');
    const listed = await run('list');
    await vi.waitFor(async () => expect(await published()).toBe(4), patience);
    const replaced = await run('rotate', '--now');

    const states = ({ json }: { json: unknown }) => listOf(json).map((key) => String(Object(key).state));
    expect(listOf(first.json)).toHaveLength(2);
    for (const alg of ['RS256', 'ES256'])
      expect(first.json).toContainEqual({
        kid: expect.any(String),
        alg,
        created_at: instant,
        state: 'current',
        retires_at: null,
      });
    expect([rotated.code, replaced.code]).toEqual([0, 0]);
    expect(states(listed).sort()).toEqual(['current', 'current', 'previous', 'previous']);
    for (const key of listOf(first.json))
      expect(listed.json).toContainEqual({ ...Object(key), state: 'previous', retires_at: instant });
    await vi.waitFor(async () => expect(await published()).toBe(2), patience);
  });
});
