import { expect, test, vi } from 'vitest';
import { DAY_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { changePassword } from '../../src/users/change-password.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { expectError, sharedApp } from './support.ts';

// Each guess costs a hash, so these tests take long.
vi.setConfig({ testTimeout: 120_000 });

const WRONG = 'wrong-horse-7';
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status);

/** Sends guesses one after another, each from a new address and browser. */
async function guess(app: TestApp, username: string, times: number, password = WRONG): Promise<Reply[]> {
  const replies = [];
  for (let i = 0; i < times; i += 1) replies.push(await app.client().login({ username, password }));
  return replies;
}

const useUp = async (app: TestApp, username: string) =>
  expect(statuses(await guess(app, username, 20))).not.toContain(429);

function expectWait(reply: Reply | undefined, seconds: number): void {
  if (!reply) throw new Error('no reply');
  expectError(reply, 'TOO_MANY_LOGINS');
  const wait = Number(reply.headers['retry-after']);
  expect(wait).toBeGreaterThan(seconds - 30);
  expect(wait).toBeLessThanOrEqual(seconds);
  expect(reply.headers['ratelimit-limit']).toBe('20');
}

const countsOf = ({ services }: TestApp) =>
  services.database.kysely.selectFrom('password_guesses').selectAll().execute();

eachDatabase('guessing a password from many addresses', (database) => {
  const app = sharedApp({ database });

  test('after 20 wrong guesses the right password must wait too, except in a browser that the person has used before', async () => {
    const ada = await app().seedUser();
    const owner = await app().signIn(ada);
    await owner.logout();
    const twin = owner.clone();
    await useUp(app(), ada.username);

    expectWait((await guess(app(), ada.username, 1, ada.password))[0], 60);
    expect((await owner.login(ada)).status).toBe(200);
    expectWait((await guess(app(), ada.username, 1, ada.password))[0], 60);

    for (let i = 0; i < 20; i += 1) expect((await twin.clone().login({ ...ada, password: WRONG })).status).toBe(401);
    expectWait(await twin.clone().login(ada), 60);
    expectWait(await owner.login(ada), 60);
  });

  test('with a new password, no one has to wait any longer, also in a browser that the person has used before', async () => {
    const ada = await app().seedUser();
    const owner = await app().signIn(ada);
    await owner.logout();
    await useUp(app(), ada.username);
    for (let i = 0; i < 20; i += 1) await owner.clone().login({ ...ada, password: WRONG });
    expectWait(await owner.clone().login(ada), 60);
    expectWait((await guess(app(), ada.username, 1, ada.password))[0], 60);

    const { passwords, settings: application } = app().services;
    await changePassword(
      { ...app().change(), passwords, application },
      { user: ada, password: 'new-horse-battery', way: 'reset' },
    );

    const changed = { ...ada, password: 'new-horse-battery' };
    expect((await owner.login(changed)).status).toBe(200);
    expect((await app().client().login(changed)).status).toBe(200);
    await useUp(app(), ada.username);
    expectWait((await guess(app(), ada.username, 1, changed.password))[0], 60);
  });

  test('of 60 simultaneous guesses at most 20 are checked', async () => {
    const ada = await app().seedUser();

    const replies = await Promise.all(
      Array.from({ length: 60 }, () =>
        app()
          .client()
          .login({ ...ada, password: WRONG }),
      ),
    );

    // On a busy machine, some guesses do not fit into the hashing queue (503), and they are not counted.
    const looked = statuses(replies).filter((status) => status === 401).length;
    expect(looked).toBeGreaterThan(0);
    expect(statuses(await guess(app(), ada.username, 21 - looked))).toEqual([...Array(20 - looked).fill(401), 429]);
  });

  test('simultaneous right passwords are not counted as guesses, even if they are more than the budget allows', async () => {
    const ada = await app().seedUser();
    const before = await countsOf(app());

    const replies = await Promise.all(Array.from({ length: 30 }, () => app().client().login(ada)));

    // On a busy machine, some sign-ins do not fit into the hashing queue (503).
    const answers = statuses(replies);
    expect(answers).toContain(200);
    expect(answers.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await countsOf(app())).toEqual(before);
  });

  test('right passwords are not counted as guesses, and wrong ones before them stay counted', async () => {
    const ada = await app().seedUser();
    const before = await countsOf(app());

    expect(statuses(await guess(app(), ada.username, 25, ada.password))).toEqual(Array(25).fill(200));
    expect(await countsOf(app())).toEqual(before);

    for (let i = 0; i < 19; i += 1) await guess(app(), ada.username, 1);
    expect(statuses(await guess(app(), ada.username, 2, ada.password))).toEqual([200, 200]);
    expect(statuses(await guess(app(), ada.username, 2))).toEqual([401, 429]);
  });

  test('guesses for a name that does not exist are counted too, and no name is stored', async () => {
    await useUp(app(), 'no one-here');

    expectWait((await guess(app(), ' NO one-HERE ', 1))[0], 60);
    expect(JSON.stringify(await countsOf(app()))).not.toMatch(/here/i);
  });

  test('a mark of another person, or a forged mark, does not make a browser count as known', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    const other = await app().signIn(bob);
    const forged = app().client();
    forged.jar.set('known_browser', 'v1.AAAA');
    await useUp(app(), ada.username);

    expectWait(await other.login(ada), 60);
    expectWait(await forged.login(ada), 60);
    expect((await other.login(bob)).status).toBe(200);
  });

  test('a browser counts as known for the ten users who signed in last, until a year after its last sign-in', async (t) => {
    const own = await startApp(t, { database });
    const people = [];
    for (let i = 0; i < 11; i += 1) people.push(await own.seedUser());
    const browser: Client = own.client();
    for (const person of people) await browser.login(person);
    const [first, second] = people;
    if (!first || !second) throw new Error('no people');
    for (const { username } of [first, second]) await useUp(own, username);

    expectWait(await browser.login(first), 60);
    const reply = await browser.login(second);
    expect(reply.status).toBe(200);
    const mark = reply.cookies.find(({ name }) => name === 'known_browser');
    expect(mark?.attributes).toMatchObject({
      httponly: true,
      samesite: 'Lax',
      path: '/',
      'max-age': `${365 * 86_400}`,
    });

    own.clock.advance(366 * DAY_MS);
    await useUp(own, second.username);
    expectWait(await browser.login(second), 60);
  });
});

eachDatabase('the wait of an account whose password is guessed', (database) => {
  const tryOnce = async (app: TestApp, username: string) => (await guess(app, username, 1))[0];

  test('doubles with each further wrong guess up to an hour, and the budget is full again an hour after the last wrong guess', async (t) => {
    const app = await startApp(t, { database });
    await useUp(app, 'ada');
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expectWait(await tryOnce(app, 'ada'), minutes * 60);
      app.clock.advance(minutes * MINUTE_MS);
      expect((await tryOnce(app, 'ada'))?.status).toBe(404);
    }
    await useUp(app, 'bob');
    app.clock.advance(60 * MINUTE_MS);
    await useUp(app, 'bob');
    expectWait(await tryOnce(app, 'bob'), 60);
  });

  test('begins after 20 wrong guesses within any hour', async (t) => {
    const app = await startApp(t, { database });
    await guess(app, 'ada', 1);
    app.clock.advance(59 * MINUTE_MS);
    await guess(app, 'ada', 18);
    app.clock.advance(2 * MINUTE_MS);

    expect(statuses(await guess(app, 'ada', 2))).toEqual([404, 404]);
    expectWait(await tryOnce(app, 'ada'), 60);
  });

  test('is the same in every process, outlives a restart, and ends if the clock was ahead', async (t) => {
    const fresh = await freshDatabase(database);
    t.onTestFinished(fresh.drop);
    const ahead = await startApp(t, { database: fresh });
    const right = await startApp(t, { database: fresh });
    await useUp(right, 'ada');
    expectWait(await tryOnce(ahead, 'ada'), 60);

    ahead.clock.advance(DAY_MS);
    await useUp(ahead, 'bob');
    expectWait(await tryOnce(ahead, 'bob'), 60);

    expect((await tryOnce(right, 'bob'))?.status).toBe(404);
  });
});
