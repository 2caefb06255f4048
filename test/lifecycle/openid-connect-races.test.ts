import { randomInt } from 'node:crypto';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Client, Reply } from '../support/client.ts';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../support/each-database.ts';
import {
  approveDevice,
  authorize,
  callAs,
  claimsIn,
  pollDevice,
  redeem,
  refresh,
  requestOf,
  sentTo,
  signInTo,
  userinfo,
} from '../support/relying-party.ts';
import { serve } from '../support/serve.ts';
import { expectKept, noPromises, register, useTwice, visit } from './application-load.ts';
import { addUser, makeDatabase, type Owner, type Service, startService } from './support.ts';

const AT_ONCE = 20;
/**
 * How often a service is killed. Some sign-ins are acknowledged before each kill. Set AUTHSVC_TEST_KILLS=100 for a
 * thorough run.
 */
const KILLS = Number(process.env.AUTHSVC_TEST_KILLS ?? 3);
/** After how many kills another user signs in. A login that a kill interrupts counts as a wrong guess for a while. */
const KILLS_A_USER = 3;
/** Long enough for a busy machine. Every wait ends as soon as its condition is true. */
const patience = { timeout: 30_000, interval: 20 };

const settings = {
  env: 'dev',
  RATE_LIMITS: 'off',
  MAX_SESSIONS_PER_USER: '1000',
  BASE_URL: 'http://localhost:3999',
};
const repeat = <T>(times: number, make: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, at) => make(at)));
const isRefused = ({ status, body }: Reply) => status === 400 && body.error === 'invalid_grant';
const oneOf = <T>(items: readonly [T, T]): T => items[randomInt(2) === 0 ? 0 : 1];
const given = (replies: Reply[]) => replies.filter(({ status }) => status === 200);

/** Starts two services, each in its own process, on one database, with applications and a user. */
async function startTwo(t: Owner, kind: DatabaseKind) {
  const fresh = await freshDatabase(kind);
  t.onTestFinished(fresh.drop);
  const place = { ...fresh, settings };
  await makeDatabase(t, place);
  const wiki = await register(t, place, 'wiki', ['--device']);
  const spa = await register(t, place, 'spa', ['--public']);
  const user = await addUser(t, place, 'ada', ['--app', 'authsvc', '--app', 'wiki', '--app', 'spa']);
  const services = [await startService(t, place), await startService(t, place)] as const;
  const clientAt = (at: number): Client => services[at % 2 === 0 ? 0 : 1].client();
  return {
    wiki,
    spa,
    clientAt,
    /** Returns two clients, one for each service, in which the user is signed in with the same cookies. */
    signIn: async () => {
      const browsers = [clientAt(0), clientAt(1)] as const;
      await browsers[0].login(user);
      for (const [name, value] of browsers[0].jar) browsers[1].jar.set(name, value);
      return browsers;
    },
  };
}
type Two = Awaited<ReturnType<typeof startTwo>>;

eachDatabase('two services on one database with OpenID Connect', (kind) => {
  let two: Two;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    two = await startTwo({ onTestFinished: (stop) => void stops.unshift(stop) }, kind);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  /** Checks that both services refuse these tokens within a second. */
  const expectDead = (tokens: Record<string, unknown>) =>
    vi.waitFor(
      async () => {
        const statuses = await repeat(2, async (at) => (await userinfo(two.clientAt(at), tokens.access_token)).status);
        expect(statuses).toEqual([401, 401]);
      },
      { ...patience, timeout: 1_000 },
    );

  test('create one set of keys, although both get their first request at once', async () => {
    const sets = await repeat(8, async (at) => (await two.clientAt(at).get('/authsvc/oidc/jwks')).text);

    expect(new Set(sets).size).toBe(1);
  });

  test('at most one of twenty simultaneous redemptions of a code gets tokens, and these end', async () => {
    const [browser] = await two.signIn();
    const code = sentTo(await authorize(browser, two.wiki), 'code');

    const replies = await repeat(AT_ONCE, (at) => redeem(two.clientAt(at), two.wiki, code));

    expect(given(replies).length).toBeLessThanOrEqual(1);
    expect(replies.filter(isRefused).length).toBe(AT_ONCE - given(replies).length);
    for (const { body } of given(replies)) await expectDead(body);
  });

  test("at most one of twenty simultaneous uses of a public application's refresh token gets tokens, and these end", async () => {
    const [browser] = await two.signIn();
    const tokens = await signInTo(two.clientAt(0), browser, two.spa);

    const replies = await repeat(AT_ONCE, (at) => refresh(two.clientAt(at), two.spa, tokens.refresh_token));

    expect(given(replies).length).toBeLessThanOrEqual(1);
    for (const { body } of given(replies)) await expectDead(body);
    await expectDead(tokens);
  });

  test('let twenty workers of a confidential application use one refresh token at once', async () => {
    const [browser] = await two.signIn();
    const tokens = await signInTo(two.clientAt(0), browser, two.wiki);

    const replies = await repeat(AT_ONCE, (at) => refresh(two.clientAt(at), two.wiki, tokens.refresh_token));
    const next = await repeat(AT_ONCE, (at) =>
      refresh(two.clientAt(at + 1), two.wiki, replies[at]?.body.refresh_token),
    );

    expect(given(replies).length).toBe(AT_ONCE);
    expect(given(next).length).toBe(AT_ONCE);
  });

  test('give one code in total for many simultaneous uses of a pushed request', async () => {
    const browsers = await two.signIn();
    const { body } = await callAs(two.clientAt(0), two.wiki, 'par', requestOf(two.wiki));
    const path = `/authsvc/oidc/authorize?${new URLSearchParams({ client_id: two.wiki.key, request_uri: String(body.request_uri) })}`;

    const replies = await repeat(AT_ONCE, (at) => browsers[at % 2 === 0 ? 0 : 1].page(path));

    expect(replies.filter((reply) => sentTo(reply, 'code') !== '').length).toBe(1);
  });

  test('give a device its tokens once, however often it polls', async () => {
    const [browser] = await two.signIn();
    const code = await approveDevice(two.clientAt(0), browser, two.wiki);

    const replies = await repeat(AT_ONCE, (at) => pollDevice(two.clientAt(at), two.wiki, code));

    expect(given(replies).length).toBe(1);
    expect(replies.filter(isRefused).length).toBe(AT_ONCE - 1);
  });

  test('a sign-out at one ends tokens and refreshes at the other within a second', async () => {
    const [browser] = await two.signIn();
    const tokens = await signInTo(two.clientAt(1), browser, two.wiki);
    expect((await userinfo(two.clientAt(1), tokens.access_token)).status).toBe(200);

    await browser.logout();

    await expectDead(tokens);
    expect(isRefused(await refresh(two.clientAt(1), two.wiki, tokens.refresh_token))).toBe(true);
  });
});

eachDatabase(`two services of which one is killed ${KILLS} times among sign-ins to applications`, (kind) => {
  test('keep every issued token valid, accept no token twice, keep ended grants ended, and lose no logout message', {
    timeout: 60_000 + KILLS * 20_000,
  }, async (t) => {
    const told: string[] = [];
    const url = await serve(t, async (request, reply) => {
      const token = new URLSearchParams(await text(request)).get('logout_token');
      told.push(String(claimsIn(token).sid));
      reply.writeHead(200).end();
    });
    const fresh = await freshDatabase(kind);
    t.onTestFinished(fresh.drop);
    const place = { ...fresh, settings };
    await makeDatabase(t, place);
    const wiki = await register(t, place, 'wiki', ['--backchannel-logout-uri', `${url}/logout`]);
    const spa = await register(t, place, 'spa', ['--public']);
    const allow = ['--app', 'authsvc', '--app', 'wiki', '--app', 'spa'];
    let user = await addUser(t, place, 'user-0', allow);
    const services: [Service, Service] = [await startService(t, place), await startService(t, place)];
    const promises = noPromises();
    const winners: number[] = [];
    const count = () => promises.alive.size + promises.ended.size;
    let isOver = false;
    /** A service that sends each request of an application to one of the two services at random. */
    const either = { client: () => oneOf(services).client() };
    const goOn = async (work: () => Promise<void>) => {
      while (!isOver)
        await work().catch((error: unknown) => {
          if (!/ECONN|EPIPE|socket hang up/.test(String(error))) throw error;
        });
    };
    const load = Promise.all([
      ...Array.from({ length: 3 }, () => goOn(() => visit(either, wiki, user, promises))),
      goOn(async () => void winners.push(...(await useTwice(services, spa, user)))),
    ]);
    load.catch(() => undefined);

    for (let kills = 0; kills < KILLS; kills += 1) {
      const enough = count() + 8;
      await Promise.race([load, vi.waitUntil(() => count() >= enough, patience)]);
      await sleep(randomInt(60));
      const at = randomInt(2);
      await services[at]?.stop('SIGKILL');
      services[at] = await startService(t, place);
      if ((kills + 1) % KILLS_A_USER === 0) user = await addUser(t, place, `user-${kills + 1}`, allow);
    }
    isOver = true;
    await load;

    process.stderr.write(
      `${kind}: ${KILLS} kills, ${promises.alive.size} sign-ins that stay, ${promises.ended.size} sign-outs, ${winners.length} codes and refresh tokens used twice at once\n`,
    );
    expect(Math.max(...winners)).toBeLessThanOrEqual(1);
    await expectKept(oneOf(services), wiki, promises, told);
  });
});
