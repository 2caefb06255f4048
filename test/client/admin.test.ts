import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { AdminError, createAdmin } from 'authsvc-client/admin';
import { expect, type TestContext, test, vi } from 'vitest';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { type StartOptions, startApp } from '../support/start-app.ts';

vi.setConfig({ testTimeout: 120_000 });

eachDatabase('the client of the console', (database) => {
  const start = async (t: TestContext, settings: StartOptions['settings'] = { RATE_LIMITS: 'off', env: 'dev' }) => {
    const app = await startApp(t, { database, settings });
    const root = await app.seedUser({ username: 'root', role: 'superadmin' });
    const { token } = await createToken(await app.signIn(root), { scope: 'admin' });
    return { app, token, root, admin: createAdmin({ server: app.url, token }) };
  };

  test('reads data, changes data and walks through lists', async (t) => {
    const { app, admin } = await start(t);
    const { user } = await admin.call('POST /users', { username: 'ada', full_name: 'Ada Lovelace' });
    for (const name of ['b', 'c', 'd']) await app.seedUser({ username: name, fullName: 'Team of Ada' });

    const changed = await admin.call('PATCH /users/:id', {
      id: user.id,
      version: user.version,
      allowed_apps: ['wiki'],
    });
    const names: string[] = [];
    for await (const { username } of admin.all('GET /users', {
      q: 'ada',
      limit: 1,
      role: ['normaluser', 'superadmin'],
    }))
      names.push(username);
    const csv = await new Response(await admin.download('GET /users.csv', { q: 'ada' })).text();
    const { link } = await admin.call('POST /users/:id/invite', { id: user.id });
    await admin.call('DELETE /users/:id', { id: user.id, version: changed.user.version });

    expect(changed.user).toMatchObject({ id: user.id, allowed_apps: ['wiki'], version: user.version + 1 });
    expect(names).toEqual(['ada', 'b', 'c', 'd']);
    expect(csv.trim().split('\r\n')).toHaveLength(5);
    expect(link).toContain('/authsvc/welcome/');
    expect(await app.user('ada')).toBeUndefined();
  });

  test('reports refusals as typed errors', async (t) => {
    const { app, admin, root } = await start(t);
    const { id, version } = await app.seedUser({ username: 'ada' });
    const errorOf = (asked: Promise<unknown>) =>
      asked.then(
        () => undefined,
        (error: unknown) => (error instanceof AdminError ? error : undefined),
      );

    const outdated = await errorOf(admin.call('PATCH /users/:id', { id, version: version + 1, full_name: 'x' }));
    expect(outdated).toMatchObject({ code: 'CHANGED_MEANWHILE', status: 409, current: { id, version } });
    const odd = await errorOf(admin.call('PATCH /users/:id', { id, version, role: 'emperor' }));
    expect(odd).toMatchObject({ code: 'FIELD_INVALID', field: 'role', reason: 'refused' });
    const own = await errorOf(admin.call('POST /users/:id/end-sessions', { id: root.id }));
    expect(own).toMatchObject({ code: 'SESSION_REQUIRED', status: 403 });
    const stranger = createAdmin({ server: app.url, token: 'tok_x' });
    expect(await errorOf(stranger.call('GET /overview', {}))).toMatchObject({ code: 'TOKEN_INVALID', status: 401 });
    const unreachable = createAdmin({ server: 'http://127.0.0.1:1', token: 'tok_x' });
    await expect(unreachable.call('GET /overview', {})).rejects.toMatchObject({
      reason: 'unreachable',
      status: undefined,
    });
  });

  test('waits if the service replies that there were too many requests, until the call is aborted', async (t) => {
    const { app, token } = await start(t, { RATE_LIMITS: 'admin-read=1/60s', env: 'dev' });
    const waited = new AbortController();
    const statuses: number[] = [];
    const asked = async (...parts: Parameters<typeof fetch>) => {
      const response = await fetch(...parts);
      statuses.push(response.status);
      if (response.status === 429) waited.abort(new Error('long enough'));
      return response;
    };
    const admin = createAdmin({ server: app.url, token, fetch: asked });

    await admin.call('GET /overview', {});
    await expect(admin.call('GET /overview', {}, { signal: waited.signal })).rejects.toThrow('long enough');

    expect(statuses).toEqual([200, 429]);
  });

  test('the example program makes the users match a list of staff, and a second run changes nothing', async (t) => {
    const { app, token } = await start(t);
    await app.seedUser({ username: 'Grace', fullName: 'Grace', apps: ['wiki'] });
    await app.seedUser({ username: 'gone' });
    const folder = await mkdtemp(join(tmpdir(), 'authsvc-staff-'));
    t.onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'staff.csv');
    const lines = [
      'username,full_name,email,apps',
      'ada,"Lovelace, ""Ada""",ada@example.test,wiki drive',
      'grace,Grace Hopper,,wiki',
    ];
    await writeFile(file, `${lines.join('\r\n')}\r\n`);
    const run = async () => {
      const program = join(import.meta.dirname, '../../examples/sync-staff.ts');
      const env = { ...process.env, AUTHSVC_TOKEN: token };
      return (await promisify(execFile)(process.execPath, ['--import', 'tsx', program, app.url, file], { env })).stdout;
    };

    const first = await run();
    const second = await run();

    expect(first.split('\n').sort()).toEqual([
      '',
      expect.stringMatching(/^added ada: http.*\/authsvc\/welcome\//),
      'changed Grace',
      'deactivated gone',
    ]);
    expect(second).toBe('');
    expect(await app.user('ada')).toMatchObject({
      fullName: 'Lovelace, "Ada"',
      email: 'ada@example.test',
      allowedApps: ['wiki', 'drive'],
    });
    expect(await app.user('gone')).toMatchObject({ deactivatedAt: expect.any(Number) });
    expect(await app.user('root')).toMatchObject({ deactivatedAt: null });

    for (const text of ['', 'username,full_name\n', 'name\nada\n']) {
      await writeFile(file, text);
      const stderr = expect.stringMatching(
        /^\S+staff\.csv must have a header row, and a username in each row below it\.$/m,
      );
      await expect(run()).rejects.toMatchObject({ code: 1, stderr });
    }
    expect(await app.user('ada')).toMatchObject({ deactivatedAt: null });
    await rm(file);
    await expect(run()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/^ENOENT.*staff\.csv'\n$/) });
  });
});
