// Measures what webhooks cost a sign-in: `npx tsx bench/webhooks.ts`. People sign in one after another at two services,
// in short alternating rounds. One service has five webhooks that subscribe to sign-ins. A round ends when its messages
// are delivered. Each service has two processes on one database: the first one sends the messages, and people sign in at
// the second one. So the cost of a sign-in is measured without and with the cost of sending. Linux only. Needs a build.
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { addUser, makeDatabase, PASSWORD, runCommand, type Service, startService } from '../test/lifecycle/support.ts';
import { type DatabaseKind, freshDatabase } from '../test/support/each-database.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { serve } from '../test/support/serve.ts';
import { median } from './load.ts';
import { meterOf } from './processes.ts';

const WEBHOOKS = 5;
const ROUNDS = 30;
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

interface Processes {
  /** The process that sends messages, because it started first. */
  sender: Service;
  /** The process at which people sign in. */
  entrance: Service;
}

/** Starts a service with this many webhooks. */
async function start(kind: DatabaseKind, webhooks: number): Promise<Processes> {
  const fresh = await freshDatabase('sqlite');
  owner.onTestFinished(fresh.drop);
  const settings = { WEBHOOK_PRIVATE_NETWORKS: 'on', RATE_LIMITS: 'login=1000000/60s' };
  const place = { ...fresh, settings, ...(kind === 'postgres' ? { url: await ownServer() } : {}) };
  await makeDatabase(owner, place);
  for (let at = 0; at < USERS; at += 1) await addUser(owner, place, `user-${at}`);
  for (let at = 0; at < webhooks; at += 1)
    await runCommand(owner, place, ['webhook', 'add', `${url}/${at}`, '--event', 'user.signed_in']);
  return { sender: await startService(owner, place), entrance: await startService(owner, place) };
}

interface Round {
  /** Milliseconds from the request of a sign-in to its reply. */
  time: number;
  /** Milliseconds of processor time per sign-in, in the process at which people sign in. */
  entranceCpu: number;
  /** Milliseconds of processor time per sign-in, in both processes. */
  cpu: number;
}

async function round({ sender, entrance }: Processes, webhooks: number): Promise<Round> {
  const meters = { sender: meterOf(sender.pid), entrance: meterOf(entrance.pid) };
  const enough = delivered + webhooks * SIGN_INS;
  const before = { sender: meters.sender(), entrance: meters.entrance() };
  const times: number[] = [];
  for (let at = 0; at < SIGN_INS; at += 1) {
    const startedAt = performance.now();
    await entrance.client().login({ username: `user-${at % USERS}`, password: PASSWORD });
    times.push(performance.now() - startedAt);
  }
  while (delivered < enough) await wait(5);
  await wait(SETTLE_MS);
  const cpuOf = (name: keyof Processes) => (meters[name]() - before[name]) / 1000 / SIGN_INS;
  const entranceCpu = cpuOf('entrance');
  return { time: median(times), entranceCpu, cpu: entranceCpu + cpuOf('sender') };
}

async function compare(kind: DatabaseKind): Promise<void> {
  const sides = [
    { service: await start(kind, 0), webhooks: 0, rounds: [] as Round[] },
    { service: await start(kind, WEBHOOKS), webhooks: WEBHOOKS, rounds: [] as Round[] },
  ];
  for (let at = -2; at < ROUNDS; at += 1)
    for (const { service, webhooks, rounds } of at % 2 === 0 ? sides : sides.toReversed()) {
      const figures = await round(service, webhooks);
      if (at >= 0) rounds.push(figures);
    }
  const [without = [], withThem = []] = sides.map(({ rounds }) => rounds);
  const row = (key: keyof Round, what: string) => {
    const of = (rounds: typeof without) => median(rounds.map((figures) => figures[key]));
    const ratio = median(withThem.map((figures, at) => figures[key] / (without[at]?.[key] ?? figures[key])));
    return `${kind}, ${what}: ${of(without).toFixed(1)} ms without, ${of(withThem).toFixed(1)} ms with, ${ratio.toFixed(2)} ×\n`;
  };
  process.stdout.write(
    row('time', 'time') + row('entranceCpu', 'processor time of the sign-in') + row('cpu', 'processor time in all'),
  );
}

try {
  for (const kind of ['sqlite', 'postgres'] as const) await compare(kind);
} finally {
  for (const stop of stops) await stop();
}
