// Measures what a sign-in by passkey costs: `npx tsx bench/passkeys.ts`. A user with a passkey (ES256) signs in again and
// again. Prints the processor time of the service for the request for options and for the sign-in, as medians of the
// rounds. Linux only. Needs a build.
import process from 'node:process';
import { addUser, makeDatabase, PASSWORD, type Service, startService } from '../test/lifecycle/support.ts';
import { Authenticator, signInOptions } from '../test/support/authenticator.ts';
import type { Client } from '../test/support/client.ts';
import { type DatabaseKind, freshDatabase } from '../test/support/each-database.ts';
import { change } from '../test/support/my-account.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { median } from './load.ts';
import { meterOf } from './processes.ts';

const WARM_UPS = 4;
const ROUNDS = 12;
const SIGN_INS = 50;

const stops: (() => Promise<void>)[] = [];
const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.unshift(stop) };

async function ownServer(): Promise<string> {
  const server = await startPostgres();
  owner.onTestFinished(() => server.stop());
  return server.url;
}

async function start(kind: DatabaseKind): Promise<Service> {
  const fresh = await freshDatabase('sqlite');
  owner.onTestFinished(fresh.drop);
  const place = kind === 'postgres' ? { ...fresh, url: await ownServer() } : fresh;
  await makeDatabase(owner, place);
  await addUser(owner, place, 'ada');
  return startService(owner, place);
}

/** Adds a passkey to the user. */
async function addPasskey(service: Service): Promise<Authenticator> {
  const authenticator = new Authenticator(`http://localhost:${service.port}`);
  const client = service.client();
  await client.login({ username: 'ada', password: PASSWORD });
  const { options } = (await change(client, 'POST', '/passkeys/options')).body;
  const { challenge, user } = Object(options);
  const added = await change(client, 'POST', '/passkeys', { response: authenticator.create({ challenge, user }) });
  if (added.status !== 201) throw new Error(`no passkey: ${added.text}`);
  return authenticator;
}

/** Measures the requests for options and the sign-ins of a round. Returns processor time per request, in milliseconds. */
async function costsOf(service: Service, authenticator: Authenticator): Promise<{ options: number; signIn: number }> {
  const spent = meterOf(service.pid);
  const begin = spent();
  const offered: { client: Client; challenge: string }[] = [];
  for (let at = 0; at < SIGN_INS; at += 1) {
    const client = service.client();
    offered.push({ client, challenge: (await signInOptions(client)).challenge });
  }
  const middle = spent();
  for (const { client, challenge } of offered) {
    const { status, text } = await client.post('/authsvc/api/passkey', { response: authenticator.get({ challenge }) });
    if (status !== 200) throw new Error(`no sign-in: ${text}`);
  }
  const perRequest = (microseconds: number) => microseconds / 1000 / SIGN_INS;
  return { options: perRequest(middle - begin), signIn: perRequest(spent() - middle) };
}

try {
  for (const kind of ['sqlite', 'postgres'] as const) {
    const service = await start(kind);
    const authenticator = await addPasskey(service);
    const rounds: Awaited<ReturnType<typeof costsOf>>[] = [];
    for (let at = 0; at < WARM_UPS + ROUNDS; at += 1) rounds.push(await costsOf(service, authenticator));
    const of = (key: 'options' | 'signIn') => median(rounds.slice(WARM_UPS).map((costs) => costs[key])).toFixed(2);
    process.stdout.write(`${kind}: options ${of('options')} ms, sign-in ${of('signIn')} ms\n`);
  }
} finally {
  for (const stop of stops) await stop();
}
