import { expect, type TestContext, test, vi } from 'vitest';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { type Received, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { addUser, makeDatabase, PASSWORD, runCommand, type Service, startService } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const PATIENCE = { timeout: 60_000, interval: 20 };
const SETTINGS = { WEBHOOK_PRIVATE_NETWORKS: 'on', RATE_LIMITS: 'off', env: 'dev' };
const USERS = ['ada', 'bob', 'cleo'];

const idOf = ({ message }: Received): number => Number(message.data.id);
const unique = (receiver: WebhookReceiver): number[] => [...new Set(receiver.got.map(idOf))];
const until = (count: number, receiver: WebhookReceiver) =>
  vi.waitUntil(() => unique(receiver).length >= count, PATIENCE);

/** Signs each user in this many times, one after another. Returns how many sign-ins were acknowledged. */
async function signIn(service: Service, times: number): Promise<number> {
  let count = 0;
  for (let round = 0; round < times; round += 1)
    for (const username of USERS) {
      const reply = await service.client().login({ username, password: PASSWORD });
      if (reply.status !== 200) throw new Error(`the login was answered with ${reply.status}`);
      count += 1;
    }
  return count;
}

/** Checks that each message has arrived, and that the messages of one user arrived in the order of the events. */
function expectOrder(receiver: WebhookReceiver, count: number): void {
  expect(unique(receiver)).toHaveLength(count);
  for (const name of USERS) {
    const ids = receiver.got.filter(({ message }) => message.data.subject_name === name).map(idOf);
    const firsts = [...new Set(ids)];
    expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
  }
}

eachDatabase('webhooks of several processes', (kind) => {
  /** Creates a database with users, and a webhook that subscribes to sign-ins. */
  async function prepare(t: TestContext) {
    const fresh = await freshDatabase(kind);
    const receiver = await startReceiver();
    t.onTestFinished(async () => {
      await receiver.close();
      await fresh.drop();
    });
    const place = { ...fresh, settings: SETTINGS };
    await makeDatabase(t, place);
    for (const name of USERS) await addUser(t, place, name);
    const added = await runCommand(t, place, ['webhook', 'add', receiver.url, '--event', 'user.signed_in']);
    expect(added.code).toBe(0);
    return { place, receiver };
  }

  test('only one of two processes sends; if it is killed during attempts, the other takes over and nothing is lost', async (t) => {
    const { place, receiver } = await prepare(t);
    const first = await startService(t, place);
    let count = await signIn(first, 1);
    await until(count, receiver);
    const second = await startService(t, place);

    count += await signIn(second, 1);
    await until(count, receiver);
    expect(receiver.got).toHaveLength(count);
    const held = new Set<string>();
    receiver.answer = ({ headers }) => void held.add(String(headers['webhook-id']));
    count += await signIn(second, 2);
    await vi.waitUntil(() => held.size === USERS.length, PATIENCE);
    first.signal('SIGKILL');
    await first.ended;
    const killedAt = Date.now();
    const before = receiver.got.length;
    receiver.answer = (_request, response) => void response.writeHead(200).end();
    await vi.waitUntil(() => receiver.got.length > before, PATIENCE);

    // The promised time is ten seconds. The next process takes over after six.
    expect(Date.now() - killedAt).toBeLessThan(10_000);
    await until(count, receiver);
    const repeated = receiver.got.filter(({ headers }) => held.has(String(headers['webhook-id'])));
    expect(repeated).toHaveLength(2 * USERS.length);
    expectOrder(receiver, count);
  });

  test('a service that is killed sends acknowledged events after its next start', async (t) => {
    const { place, receiver } = await prepare(t);
    let count = 0;
    for (let round = 0; round < 3; round += 1) {
      const service = await startService(t, place);
      count += await signIn(service, 1);
      service.signal('SIGKILL');
      await service.ended;
    }

    await startService(t, place);
    await until(count, receiver);

    expectOrder(receiver, count);
  });
});
