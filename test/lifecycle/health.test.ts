import { expect, test, vi } from 'vitest';
import { freshDatabase } from '../support/each-database.ts';
import { freePort } from '../support/postgres.ts';
import { makeDatabase, type Owner, runCommand, startService } from './support.ts';

vi.setConfig({ testTimeout: 90_000 });

/** Starts a service with a fixed PORT, so that the command can find it. */
async function start(t: Owner) {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  await makeDatabase(t, fresh);
  const port = await freePort();
  const place = { ...fresh, settings: { HOST: '0.0.0.0', PORT: String(port) } };
  return { place, service: await startService(t, place), url: `http://127.0.0.1:${port}` };
}

test('a service that runs is healthy and ready, and one that was stopped is neither', async (t) => {
  const { place, service, url } = await start(t);

  const healthy = await runCommand(t, place, ['health', '--json']);
  const ready = await runCommand(t, place, ['health', '--ready', '--json']);
  await service.stop();
  const stopped = await runCommand(t, place, ['health', '--json']);

  expect([healthy.code, healthy.json]).toEqual([0, { url: `${url}/healthz`, status: 200 }]);
  expect([ready.code, ready.json]).toEqual([0, { url: `${url}/readyz`, status: 200 }]);
  expect([stopped.code, stopped.json, stopped.stderr]).toEqual([
    1,
    { url: `${url}/healthz`, status: null },
    `${url}/healthz cannot be reached.\n`,
  ]);
});

test('a service that accepts a connection and never answers is not healthy', async (t) => {
  const { place, service, url } = await start(t);
  process.kill(service.pid, 'SIGSTOP');

  const hung = await runCommand(t, place, ['health']);
  process.kill(service.pid, 'SIGCONT');

  expect([hung.code, hung.stdout, hung.stderr]).toEqual([1, '', `${url}/healthz does not answer in time.\n`]);
});

test('without a known port, the health command says so', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);

  const { code, stderr } = await runCommand(t, fresh, ['health']);

  expect([code, stderr]).toEqual([1, 'PORT is 0, so the port of the service is not known.\n']);
});
