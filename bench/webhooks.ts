// Measures what webhooks cost a sign-in: `npx tsx bench/webhooks.ts`. People sign in one after another at two services,
// in short alternating rounds. One service has five webhooks that subscribe to sign-ins. A round ends when its messages
// are delivered. Linux only. Needs a build.
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { addUser, makeDatabase, PASSWORD, runCommand, type Service, startService } from '../test/lifecycle/support.ts';
import { type DatabaseKind, freshDatabase } from '../test/support/each-database.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { serve } from '../test/support/serve.ts';
import { median } from './load.ts';
import { meterOf } from './processes.ts';

const WEBHOOKS = 5;
const ROUNDS = 14;
const SIGN_INS = 40;
const USERS = 8;
/** Time for the work that follows the last message, such as storing its result. */
const SETTLE_MS = 100;

const stops: (() => Promise<void>)[] = [];
const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.unshift(stop) };
let delivered = 0;
const url = await serve(owner, (request, reply) => {
  request.resume().on('end', () => {
    delivered += 1;
    reply.end();
  });
});

async function ownServer(): Promise<string> {
  const server = await startPostgres();
  owner.onTestFinished(() => server.stop());
  return server.url;
}

/** Starts a service with this many webhooks. */
async function start(kind: DatabaseKind, webhooks: number): Promise<Service> {
  const fresh = await freshDatabase('sqlite');
  owner.onTestFinished(fresh.drop);
  const settings = { WEBHOOK_PRIVATE_NETWORKS: 'on', RATE_LIMITS: 'login=1000000/60s' };
  const place = { ...fresh, settings, ...(kind === 'postgres' ? { url: await ownServer() } : {}) };
  await makeDatabase(owner, place);
  for (let at = 0; at < USERS; at += 1) await addUser(owner, place, `user-${at}`);
  for (let at = 0; at < webhooks; at += 1)
    await runCommand(owner, place, ['webhook', 'add', `${url}/${at}`, '--event', 'user.signed_in']);
  return startService(owner, place);
}

/** Measures the time of a sign-in and the service's processor time for it. Returns milliseconds. */
async function round(service: Service, webhooks: number): Promise<{ ms: number; cpuMs: number }> {
  const [meter, enough] = [meterOf(service.pid), delivered + webhooks * SIGN_INS];
  const before = meter();
  const times: number[] = [];
  for (let at = 0; at < SIGN_INS; at += 1) {
    const startedAt = performance.now();
    await service.client().login({ username: `user-${at % USERS}`, password: PASSWORD });
    times.push(performance.now() - startedAt);
  }
  while (delivered < enough) await wait(5);
  await wait(SETTLE_MS);
  return { ms: median(times), cpuMs: (meter() - before) / 1000 / SIGN_INS };
}

async function compare(kind: DatabaseKind): Promise<void> {
  const sides = [
    { service: await start(kind, 0), webhooks: 0, rounds: [] as Awaited<ReturnType<typeof round>>[] },
    { service: await start(kind, WEBHOOKS), webhooks: WEBHOOKS, rounds: [] as Awaited<ReturnType<typeof round>>[] },
  ];
  for (let at = -2; at < ROUNDS; at += 1)
    for (const { service, webhooks, rounds } of at % 2 === 0 ? sides : sides.toReversed()) {
      const figures = await round(service, webhooks);
      if (at >= 0) rounds.push(figures);
    }
  const [without = [], withThem = []] = sides.map(({ rounds }) => rounds);
  const row = (key: 'ms' | 'cpuMs', what: string) => {
    const of = (rounds: typeof without) => median(rounds.map((figures) => figures[key]));
    const ratio = median(withThem.map((figures, at) => figures[key] / (without[at]?.[key] ?? figures[key])));
    return `${kind}, ${what}: ${of(without).toFixed(1)} ms without, ${of(withThem).toFixed(1)} ms with, ${ratio.toFixed(2)} ×\n`;
  };
  process.stdout.write(row('ms', 'time') + row('cpuMs', 'processor time'));
}

try {
  for (const kind of ['sqlite', 'postgres'] as const) await compare(kind);
} finally {
  for (const stop of stops) await stop();
}
