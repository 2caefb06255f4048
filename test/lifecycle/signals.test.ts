import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { beginLogin, eventually, isRefused } from './in-flight.ts';
import { addUser, makeDatabase, runProgram, type Service, signalGroup, startService } from './support.ts';

// Starting processes takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const;

/** Returns the ids of the process and of its workers, if it has any. */
const pidsOf = (service: Service): number[] => [
  ...new Set([service.pid, ...[...service.stdout().matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid))]),
];

/** Sends a signal to a process that may have ended. */
function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

test.for([{ args: [] }, { args: ['--workers', '2'] }])(
  'further signals do not affect a stop, and running requests are finished: serve $args',
  async ({ args }, t) => {
    const fresh = await freshDatabase('sqlite');
    t.onTestFinished(fresh.drop);
    await makeDatabase(t, fresh);
    await addUser(t, fresh, 'ada');
    const service = await startService(t, fresh, args);
    const { finish, heard } = await beginLogin(t, service);

    const ended = service.stop('SIGINT');
    expect(await eventually(() => isRefused(service))).toBe(true);
    for (const pid of pidsOf(service)) for (const signal of [...STOP_SIGNALS, 'SIGHUP'] as const) signalTo(pid, signal);
    await sleep(300);
    finish();

    expect(await ended).toEqual({ code: 0, signal: null });
    expect(heard()).toMatch(/^HTTP\/1\.1 200 /);
    expect(service.stdout().match(/"signal":"[A-Z0-9]+"/g)).toContain('"signal":"SIGINT"');
  },
);

test.for([
  { args: [], processes: 1 },
  { args: ['--workers', '2'], processes: 3 },
])('SIGHUP, which asks a service to reopen its log, ends nothing: serve $args', async ({ args, processes }, t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);
  const service = await startService(t, fresh, args);
  await vi.waitUntil(() => pidsOf(service).length === processes, { timeout: 30_000 });
  const pids = pidsOf(service);

  for (const pid of pids) signalTo(pid, 'SIGHUP');
  const lines = () => service.stdout().match(/"signal":"SIGHUP"/g)?.length ?? 0;
  await vi.waitUntil(() => lines() === pids.length, { timeout: 30_000 });

  expect((await service.client().get('/healthz')).status).toBe(200);
  expect(pidsOf(service)).toEqual(pids);
  expect(await service.stop()).toEqual({ code: 0, signal: null });
});

test.for(STOP_SIGNALS)('%s before the settings are read ends the start with 0', async (signal, t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const settings = join(fresh.folder, '.env');
  execFileSync('sh', ['-c', 'mkfifo "$0"', settings]);
  const program = runProgram(t, fresh, ['serve']);
  // Opening the pipe waits until the program reads its settings.
  const pipe = await open(settings, 'w');

  program.signal(signal);
  await sleep(100);
  await pipe.close();

  expect(await program.ended).toEqual({ code: 0, signal: null });
  expect(program.stderr()).toBe('');
});

test.for([
  { what: 'SIGTERM to npm', ask: (service: Service) => service.signal('SIGTERM') },
  { what: 'Ctrl-C', ask: (service: Service) => signalGroup(service, 'SIGINT') },
])('npm start ends with the service by $what, and running requests are finished', async ({ ask }, t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);
  await addUser(t, fresh, 'ada');
  const service = await startService(t, { ...fresh, byNpm: true });
  const { finish, heard } = await beginLogin(t, service);

  ask(service);
  expect(await eventually(() => isRefused(service))).toBe(true);
  await sleep(300);
  finish();

  expect(await service.ended).toEqual({ code: 0, signal: null });
  expect(heard()).toMatch(/^HTTP\/1\.1 200 /);
});
