import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { addUser, makeDatabase, runCommand, runProgram, startService } from './support.ts';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

/** A device on which every write fails because it is full. */
const FULL = '/dev/full';

eachDatabase('a first start that cannot print the password', (kind) => {
  test.for([
    { what: 'a full disk', streams: { errors: FULL }, args: [] },
    { what: 'a closed pipe', streams: { unread: ['stderr' as const] }, args: [] },
    { what: 'a full disk under two workers', streams: { errors: FULL }, args: ['--workers', '2'] },
  ])('for $what ends with 1 and the reason, and leaves no user behind', async ({ streams, args }, t) => {
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);

    const program = runProgram(t, { ...fresh, ...streams }, ['serve', ...args]);

    expect(await program.ended).toEqual({ code: 1, signal: null });
    expect(program.stdout()).toContain('the password of the first superadmin could not be written to standard error');
    expect(program.stdout()).not.toContain('uncaught error');
    expect((await runCommand(t, fresh, ['user', 'list', '--json'])).json).toEqual([]);
    const service = await startService(t, fresh);
    await vi.waitUntil(() => service.stderr().includes('password'), { timeout: 10_000 });
  });
});

test('a service continues when standard error is closed', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);
  await addUser(t, fresh, 'ada');
  const noise = join(fresh.folder, 'noise.cjs');
  await writeFile(noise, "process.on('SIGUSR1', () => process.stderr.write('a warning\\n'));");

  const service = await startService(t, {
    ...fresh,
    unread: ['stderr'],
    settings: { NODE_OPTIONS: `--require ${noise}` },
  });
  for (let i = 0; i < 3; i += 1) {
    service.signal('SIGUSR1');
    await sleep(200);
  }

  expect((await service.client().get('/healthz')).status).toBe(200);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test('a command whose output is not read does its work, exits with 0 and prints no error', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);

  for (const args of [
    ['export'],
    ['user', 'list'],
    ['user', 'list', '--json'],
    ['--help'],
    ['user', '--help'],
    ['--version'],
  ]) {
    const { code, stderr } = await runCommand(t, { ...fresh, unread: ['stdout'] }, args);

    expect([args, code, stderr]).toEqual([args, 0, '']);
  }
});

test('a command whose result cannot be written says so in one line and ends with 1', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);

  for (const args of [['export'], ['user', 'list', '--json'], ['migrate', '--status'], ['--help']]) {
    const program = runProgram(t, { ...fresh, log: FULL }, args);

    expect([args, (await program.ended).code]).toEqual([args, 1]);
    expect(program.stderr()).toBe('The result could not be written: no space is left on the disk.\n');
  }
});

test('a command that is refused still fails if the refusal cannot be printed', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);

  for (const streams of [{ errors: FULL }, { unread: ['stderr' as const] }]) {
    const { code, stdout } = await runCommand(t, { ...fresh, ...streams }, ['user', 'show', 'nobody', '--jso']);
    const refused = await runCommand(t, { ...fresh, ...streams }, ['user', 'show', 'nobody']);

    expect([code, stdout]).toEqual([2, '']);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
  }
});
