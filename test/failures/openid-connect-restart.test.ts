import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { expectKept, noPromises, register, useTwice, visit } from '../lifecycle/application-load.ts';
import { addUser, makeDatabase, startService } from '../lifecycle/support.ts';
import { freshDatabase } from '../support/each-database.ts';
import { startPostgres } from '../support/postgres.ts';
import { claimsIn } from '../support/relying-party.ts';
import { serve } from '../support/serve.ts';
import { feedAlive } from './support.ts';

vi.setConfig({ testTimeout: 240_000 });

const settings = { env: 'dev', RATE_LIMITS: 'off', MAX_SESSIONS_PER_USER: '1000', BASE_URL: 'http://localhost:3999' };

test('PostgreSQL restarts during sign-ins to applications: no token is used twice, and no revocation or logout is lost', async (t) => {
  const told: string[] = [];
  const url = await serve(t, async (request, reply) => {
    told.push(String(claimsIn(new URLSearchParams(await text(request)).get('logout_token')).sid));
    reply.writeHead(200).end();
  });
  const server = await startPostgres();
  t.onTestFinished(() => server.stop());
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const place = { folder: fresh.folder, url: server.url, settings };
  await makeDatabase(t, place);
  const wiki = await register(t, place, 'wiki', ['--backchannel-logout-uri', `${url}/logout`]);
  const spa = await register(t, place, 'spa', ['--public']);
  const user = await addUser(t, place, 'ada', ['--app', 'authsvc', '--app', 'wiki', '--app', 'spa']);
  const services = [await startService(t, place), await startService(t, place)] as const;
  const [first, second] = services;
  const promises = noPromises();
  let isOver = false;
  const winners: number[] = [];

  const goOn = async (work: () => Promise<void>) => {
    // During an outage, requests fail or get no reply. Only acknowledged requests count.
    while (!isOver) await work().catch(() => sleep(20));
  };
  const load = [
    goOn(() => visit(first, wiki, user, promises)),
    goOn(() => visit(second, wiki, user, promises)),
    goOn(async () => void winners.push(...(await useTwice(services, spa, user)))),
  ];
  const more = async (count: number) => {
    const [enough, enoughTwice] = [promises.alive.size + promises.ended.size + count, winners.length + 4];
    await vi.waitUntil(() => promises.alive.size + promises.ended.size >= enough && winners.length >= enoughTwice, {
      timeout: 60_000,
    });
  };

  const fed = (times: number) => Promise.all(services.map((service) => feedAlive(service, times)));

  await more(4);
  await fed(1);
  await server.halt();
  await server.resume();
  await more(4);
  await fed(2);
  await server.crash();
  await server.resume();
  await more(4);
  isOver = true;
  await Promise.all(load);

  await fed(3);
  expect(Math.max(...winners)).toBeLessThanOrEqual(1);
  expect(services.every((service) => service.isRunning())).toBe(true);
  await expectKept(second, wiki, promises, told);
});
