import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertToken } from '../../src/api-tokens/queries.ts';
import { openDatabase } from '../../src/db/open.ts';
import { addProfile } from '../../src/device-login/add-profile.ts';
import { systemActor } from '../../src/events/actor.ts';
import { createPasswordHasher } from '../../src/lib/password-hash.ts';
import { randomHex } from '../../src/lib/random.ts';
import { addUser } from '../../src/users/add-user.ts';
import { changeUser } from '../../src/users/change-user.ts';
import type { Client, Reply } from '../support/client.ts';
import { type Codes, decide, poll, requestToken, verify } from '../support/device-login.ts';
import { type DatabaseKind, eachDatabase, freshDatabase } from '../support/each-database.ts';
import { eventSink } from '../support/event-sink.ts';
import { type Owner, PASSWORD, startService } from './support.ts';

/** How many polls are sent at once, and how often. Set RACE_ROUNDS=100 for a thorough run. */
const POLLS = 50;
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 15);
/** How many tokens one user may have: more than a test creates. */
const LIMIT = Math.max(60, ROUNDS);
const KEY = 'cli-profile';

const withToken = (replies: Reply[]) => replies.filter(({ body }) => 'token' in body);
const repeat = <T>(times: number, make: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, at) => make(at)));

/** Starts two services, each in its own process, on one database, and opens that database to check the results. */
async function startTwo(t: Owner, kind: DatabaseKind) {
  const fresh = await freshDatabase(kind);
  t.onTestFinished(fresh.drop);
  const limits = { MAX_TOKENS_PER_USER: String(LIMIT), MAX_SESSIONS_PER_USER: '100' };
  const place = { ...fresh, settings: { ...limits, env: 'dev', RATE_LIMITS: 'off' } };
  const first = await startService(t, place);
  const services = [first, await startService(t, place)] as const;
  const database = await openDatabase(fresh.url, {
    max: 2,
    isPatient: false,
    onTrouble: () => undefined,
    events: eventSink,
  });
  t.onTestFinished(database.close);
  const profile = { name: 'cli', key: KEY, scope: 'write', apps: ['authsvc'], expiresInDays: 30 } as const;
  const change = { database, now: Date.now(), actor: systemActor };
  await addProfile(change, { ...profile, apps: [...profile.apps] });
  const { kysely } = database;
  return {
    services,
    database,
    clientAt: (at: number): Client => (services[at % 2] ?? first).client(),
    tokensOf: async (id: number) =>
      (await kysely.selectFrom('api_tokens').select('id').where('user_id', '=', id).execute()).length,
    reservationsOf: async (id: number) =>
      (await kysely.selectFrom('api_token_reservations').select('reference').where('user_id', '=', id).execute())
        .length,
    requestsOf: async (id: number, status: string) =>
      (
        await kysely
          .selectFrom('device_requests')
          .select('id')
          .where('user_id', '=', id)
          .where('status', '=', status)
          .execute()
      ).length,
  };
}

type Two = Awaited<ReturnType<typeof startTwo>>;

/** Creates a person who is signed in at both services. */
async function signInNewPerson({ database, clientAt }: Two) {
  const needs = {
    database,
    passwords: createPasswordHasher(),
    application: { APP_NAME: 'authsvc', BRAND_NAME: undefined },
    now: Date.now(),
    actor: systemActor,
  };
  const { id, username } = await addUser(needs, {
    name: `ada-${randomHex(4)}`,
    password: PASSWORD,
    role: 'normaluser',
  });
  const browsers = [clientAt(0), clientAt(1)];
  await browsers[0]?.login({ username, password: PASSWORD });
  for (const [name, value] of browsers[0]?.jar ?? []) browsers[1]?.jar.set(name, value);
  return { id, username, browserAt: (at: number): Client => browsers[at % 2] ?? clientAt(at) };
}

eachDatabase('two services at once', (kind) => {
  let two: Two;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    two = await startTwo({ onTestFinished: (stop) => void stops.unshift(stop) }, kind);
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });

  test('exactly one of fifty simultaneous polls gets the token, in every round', { timeout: 120_000 }, async () => {
    const person = await signInNewPerson(two);

    for (let round = 0; round < ROUNDS; round += 1) {
      const codes = await requestToken(two.clientAt(round), KEY);
      const [approved, polls] = await Promise.all([
        decide(person.browserAt(round), codes),
        repeat(POLLS, (at) => poll(two.clientAt(at), codes)),
      ]);
      const replies = [...polls, await poll(two.clientAt(1), codes)];
      expect(approved.body.status).toBe('approved');
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
      expect(withToken(replies)).toHaveLength(1);
    }

    expect(await two.tokensOf(person.id)).toBe(ROUNDS);
    expect(await two.requestsOf(person.id, 'completed')).toBe(ROUNDS);
    expect(await two.reservationsOf(person.id)).toBe(0);
  });

  test('of a simultaneous approval and denial only one takes effect, and the token matches it', {
    timeout: 60_000,
  }, async () => {
    const person = await signInNewPerson(two);
    let approvals = 0;

    for (let round = 0; round < 12; round += 1) {
      const codes = await requestToken(two.clientAt(round), KEY);
      const replies = await repeat(8, (at) =>
        decide(person.browserAt(at), codes, (at + round) % 3 === 0 ? 'deny' : 'approve'),
      );
      const winners = replies.filter(({ status }) => status === 200);
      const [winner] = winners;
      const { body } = await poll(two.clientAt(round), codes);
      expect([winners.length, replies.filter(({ status }) => status === 409).length]).toEqual([1, 7]);
      expect([body.status, 'token' in body]).toEqual([winner?.body.status, winner?.body.status === 'approved']);
      if (winner?.body.status === 'approved') approvals += 1;
    }

    expect(await two.tokensOf(person.id)).toBe(approvals);
  });

  test('the limit of tokens holds for both ways to create a token, at both services', { timeout: 60_000 }, async () => {
    const person = await signInNewPerson(two);
    const row = {
      userId: person.id,
      name: 'before',
      prefix: 'tok_',
      scope: 'write',
      allowedApps: null,
      now: 0,
      expiresAt: 4e12,
      parentId: null,
    };
    for (let made = 0; made < LIMIT - 5; made += 1)
      await insertToken.run(two.database, { ...row, tokenHash: randomHex(32) });
    const codes = await repeat(12, (at) => requestToken(two.clientAt(at), KEY));

    const replies = await Promise.all(
      codes.flatMap((one, at) => [
        decide(person.browserAt(at), one),
        person.browserAt(at + 1).post('/api/token', { name: 'direct' }),
      ]),
    );
    const polls = await Promise.all(codes.map((one, at) => poll(two.clientAt(at), one)));

    expect(replies.filter(({ status }) => status < 300)).toHaveLength(5);
    expect(replies.filter(({ body }) => body.code === 'TOKEN_LIMIT_REACHED')).toHaveLength(19);
    expect(await two.tokensOf(person.id)).toBe(LIMIT);
    expect(withToken(polls)).toHaveLength(replies.filter(({ body }) => body.status === 'approved').length);
  });

  test('a user who is deactivated while programs fetch their tokens gets none afterwards', {
    timeout: 60_000,
  }, async () => {
    const person = await signInNewPerson(two);
    const codes = await repeat(20, (at) => requestToken(two.clientAt(at), KEY));
    for (const one of codes) await decide(person.browserAt(0), one);

    const shutOut = changeUser({ database: two.database, now: Date.now(), actor: systemActor }, person.username, {
      isActive: false,
    });
    const polls = await Promise.all(codes.map((one, at) => poll(two.clientAt(at), one)));
    await shutOut;
    const late = await Promise.all(codes.map((one, at) => poll(two.clientAt(at), one)));

    const fetched = withToken(polls).length;
    expect(withToken(late)).toEqual([]);
    expect(await two.tokensOf(person.id)).toBe(fetched);
    expect(await two.requestsOf(person.id, 'completed')).toBe(fetched);
    expect(await two.requestsOf(person.id, 'denied')).toBe(20 - fetched);
  });
});

eachDatabase('a service that dies (SIGKILL) among fifty approvals', (kind) => {
  test('leaves no token without a completed request, and issues none twice', { timeout: 90_000 }, async (t) => {
    const two = await startTwo(t, kind);
    const person = await signInNewPerson(two);
    const [victim] = two.services;
    const survivor = two.clientAt(1);
    const codes = await repeat(50, () => requestToken(survivor, KEY));
    const got: string[] = [];
    const approved = new Set<string>();
    const approveAndFetch = async (one: Codes) => {
      if ((await decide(person.browserAt(0), one)).status === 200) approved.add(one.deviceCode);
      const { body } = await poll(victim.client(), one);
      if (typeof body.token === 'string') got.push(body.token);
    };

    const work = Promise.allSettled(codes.map(approveAndFetch));
    while (got.length < 8) await new Promise((resolve) => setTimeout(resolve, 1));
    await victim.stop('SIGKILL');
    const broken = (await work).filter(({ status }) => status === 'rejected');
    const left = {
      tokens: await two.tokensOf(person.id),
      completed: await two.requestsOf(person.id, 'completed'),
      approved: await two.requestsOf(person.id, 'approved'),
      reservations: await two.reservationsOf(person.id),
    };
    const later = await Promise.all(codes.map((one) => poll(survivor, one)));
    const fetched = withToken(later).map(({ body }) => String(body.token));
    const proofs = await Promise.all([...got, ...fetched].map((token) => verify(survivor, token)));

    expect(broken.length).toBeGreaterThan(0);
    expect(left.tokens).toBe(left.completed);
    expect(left.reservations).toBe(left.approved);
    expect(fetched).toHaveLength(left.approved);
    const promised = codes.flatMap(({ deviceCode }, at) =>
      approved.has(deviceCode) ? [String(later[at]?.body.status)] : [],
    );
    expect(promised.filter((status) => !['approved', 'completed'].includes(status))).toEqual([]);
    expect(proofs.filter(({ body }) => body.tokenValid !== true)).toEqual([]);
    expect(await two.tokensOf(person.id)).toBe(await two.requestsOf(person.id, 'completed'));
    expect(await two.reservationsOf(person.id)).toBe(0);
  });
});
