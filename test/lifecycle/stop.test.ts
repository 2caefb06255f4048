import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { beginLogin, eventually, isRefused, openSocket } from './in-flight.ts';
import { addUser, makeDatabase, runCommand, runProgram, startService } from './support.ts';

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

eachDatabase('a service that is asked to stop', (kind) => {
  test.for(['SIGTERM', 'SIGINT'] as const)(
    'by %s exits with 0, at once if no request is running',
    async (signal, t) => {
      const fresh = await freshDatabase(kind);
      t.onTestFinished(fresh.drop);
      await makeDatabase(t, fresh);
      const user = await addUser(t, fresh, 'ada');
      const service = await startService(t, fresh);
      await service.client().login(user);
      const from = performance.now();

      const ending = await service.stop(signal);

      expect(ending).toEqual({ code: 0, signal: null });
      expect(performance.now() - from).toBeLessThan(9000);
    },
  );

  test('finishes a login that it has begun to read, accepts no new request, and the session is valid afterwards', async (t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    await makeDatabase(t, fresh);
    await addUser(t, fresh, 'ada');
    const service = await startService(t, fresh);
    const { finish, heard } = await beginLogin(t, service);

    const ended = service.stop('SIGTERM');
    expect(await eventually(() => isRefused(service))).toBe(true);
    finish();

    expect(await ended).toEqual({ code: 0, signal: null });
    expect(heard()).toMatch(/^HTTP\/1\.1 200 /);
    expect(heard().toLowerCase()).toContain('connection: close');
    const value = /session_id=([^;]+)/.exec(heard())?.[1] ?? '';
    const again = (await startService(t, fresh)).client();
    again.jar.set('session_id', value);
    expect(await again.isSignedIn()).toBe(true);
  });
});

describe('a service that is asked to stop', () => {
  test('does not wait for an idle keep-alive connection', async (t) => {
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    const service = await startService(t, fresh);
    const { socket, heard } = await openSocket(t, service);
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    while (!heard().includes('"ok"')) await once(socket, 'data');
    const from = performance.now();

    expect(await service.stop()).toEqual({ code: 0, signal: null });

    expect(performance.now() - from).toBeLessThan(9000);
  });

  test.each([
    ['nothing', ''],
    ['half of a request', 'GET /healthz HTTP/1.1\r\nHo'],
  ])('does not wait for a connection that has sent %s', async (_what, sent) => {
    const fresh = await freshDatabase('sqlite');
    onTestFinished(fresh.drop);
    const service = await startService({ onTestFinished }, fresh);
    const { socket } = await openSocket({ onTestFinished }, service);
    socket.write(sent);
    await sleep(300);
    const from = performance.now();

    expect(await service.stop()).toEqual({ code: 0, signal: null });

    expect(performance.now() - from).toBeLessThan(7000);
  });

  test('gives running requests nearly ten seconds, drops one that never ends, and keeps finished changes', async (t) => {
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    await makeDatabase(t, fresh);
    const user = await addUser(t, fresh, 'ada');
    const service = await startService(t, fresh);
    const client = service.client();
    await client.login(user);
    const { socket } = await openSocket(t, service);
    socket.write(
      'POST /authsvc/api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    );
    const { finish, heard } = await beginLogin(t, service);
    const from = performance.now();

    const ended = service.stop();
    await sleep(8500);
    finish();

    expect(await ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - from).toBeLessThan(11_500);
    expect(heard()).toMatch(/^HTTP\/1\.1 200 /);
    const { json } = await runCommand(t, fresh, ['session', 'list', 'ada', '--json']);
    expect(json).toHaveLength(2);
  });

  test('leaves nothing in the SQLite log, so that the file alone is the whole database', async (t) => {
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    await makeDatabase(t, fresh);
    const user = await addUser(t, fresh, 'ada');
    const service = await startService(t, fresh);
    await service.client().login(user);

    await service.stop();

    const logs = (await readdir(fresh.folder)).filter((name) => name.endsWith('-wal'));
    for (const name of logs) expect((await stat(join(fresh.folder, name))).size).toBe(0);
  });
});

describe('a service that is asked to stop while others use it', () => {
  test.for([{ args: [] }, { args: ['--workers', '2'] }])(
    'continues to serve for DRAIN_SECONDS, says that it is not ready, and closes each connection: serve $args',
    async ({ args }, t) => {
      const fresh = await freshDatabase('sqlite');
      t.onTestFinished(fresh.drop);
      const service = await startService(t, { ...fresh, settings: { DRAIN_SECONDS: '6' } }, args);
      const { socket, heard } = await openSocket(t, service);
      socket.write(HEALTH);
      while (!heard().includes('"ok"')) await once(socket, 'data');
      expect(heard()).not.toContain('connection: close');
      const from = performance.now();

      const ended = service.stop();

      expect(await eventually(async () => (await service.client().get('/readyz')).status === 503)).toBe(true);
      const ready = await service.client().get('/readyz');
      expect(ready.body).toEqual({ status: 'stopping', dependencies: { database: 'ok' } });
      expect(ready.headers.connection).toBe('close');
      expect((await service.client().page('/authsvc/login')).headers.connection).toBe('close');
      socket.write(HEALTH);
      await once(socket, 'close');
      expect(heard().split('"ok"')).toHaveLength(3);
      expect(heard()).toContain('connection: close');
      expect(await ended).toEqual({ code: 0, signal: null });
      expect(performance.now() - from).toBeGreaterThan(6000);
    },
  );

  test('answers requests that the kernel has queued, on new and on used connections', async (t) => {
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    const service = await startService(t, fresh);
    const used = await Promise.all(Array.from({ length: 15 }, () => openSocket(t, service)));
    for (const { socket, heard } of used) {
      socket.write(HEALTH);
      while (!heard().includes('"ok"')) await once(socket, 'data');
    }
    service.signal('SIGSTOP');
    const fresher = await Promise.all(Array.from({ length: 15 }, () => openSocket(t, service)));
    const all = [...used, ...fresher];
    for (const { socket } of all) socket.write(HEALTH);

    service.signal('SIGTERM');
    service.signal('SIGCONT');

    await Promise.all(all.map(({ socket }) => (socket.closed ? undefined : once(socket, 'close'))));
    expect(all.map(({ heard }) => heard().split('"ok"').length - 1)).toEqual([
      ...Array(15).fill(2),
      ...Array(15).fill(1),
    ]);
    expect(await service.ended).toEqual({ code: 0, signal: null });
  });
});

test.for([{ args: [] }, { args: ['--workers', '2'] }])(
  'a start that still waits for its database ends at once with 0: serve $args',
  async ({ args }, t) => {
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    const other = new DatabaseSync(fresh.url.replace('sqlite:', ''));
    t.onTestFinished(() => other.close());
    other.exec('pragma journal_mode = wal; begin immediate');
    // The service writes this warning just before it connects to the database.
    const settings = { CODEHOST_LOGIN_ENABLED: 'true' };
    const program = runProgram(t, { ...fresh, settings }, ['serve', ...args]);
    expect(await eventually(async () => program.stdout().includes('its client id or secret is missing'))).toBe(true);

    program.signal('SIGTERM');

    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stdout()).not.toContain('listening');
  },
);
