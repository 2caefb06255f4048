import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { Turn } from '../../src/delivery/turn.ts';
import { systemActor } from '../../src/events/actor.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { SharedWork } from '../../src/lib/shared-work.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { removeUser } from '../../src/users/remove-user.ts';
import { addWebhook } from '../../src/webhooks/add-webhook.ts';
import { changeWebhook } from '../../src/webhooks/change-webhook.ts';
import { listDeliveries } from '../../src/webhooks/list-deliveries.ts';
import { deleteOldDeliveries } from '../../src/webhooks/queries.ts';
import { retryDeliveries } from '../../src/webhooks/retry-deliveries.ts';
import { rotateWebhookSecret } from '../../src/webhooks/rotate-webhook-secret.ts';
import { deliveryDelay } from '../../src/webhooks/send-delivery.ts';
import { sendTest } from '../../src/webhooks/send-test.ts';
import { eachDatabase } from '../support/each-database.ts';
import { type Received, signatureBy, startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { sharedApp } from './support.ts';

/** Long enough for a busy machine. Every wait ends as soon as its condition is true. */
const patience = { timeout: 60_000, interval: 20 };
const status =
  (code: number, headers: Record<string, string> = {}, text = ''): WebhookReceiver['answer'] =>
  (_request, response) =>
    void response.writeHead(code, headers).end(text);

test('a delivery is retried for a day, at intervals that vary by a fifth', () => {
  const delays = (attempts: number) =>
    Array.from({ length: 200 }, () => deliveryDelay(attempts, { createdAt: 0, now: 0, failure: undefined }) ?? 0);

  for (const [attempts, usual] of [5, 30, 120, 600, 3600, 10_800, 10_800].entries()) {
    const seconds = delays(attempts + 1).map((ms) => ms / SECOND_MS);
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(usual * 0.8);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(usual * 1.2);
    expect(new Set(seconds).size).toBeGreaterThan(20);
  }
  expect(deliveryDelay(9, { createdAt: 0, now: 22 * HOUR_MS, failure: undefined })).toBeUndefined();
});

eachDatabase('webhooks', (database) => {
  const app = sharedApp({ database, settings: { WEBHOOK_PRIVATE_NETWORKS: 'on' } });
  let receiver: WebhookReceiver;
  const hooks: string[] = [];
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    for (const key of hooks.splice(0)) await changeWebhook(change(), rules(), key, { isActive: false });
    await receiver.close();
  });

  const rules = () => app().services.settings;
  const change = () => ({ ...app().change(), dataSealer: app().services.dataSealer });
  const add = async (events: string[], fields: { app?: string; url?: string } = {}) => {
    const { webhook, secret } = await addWebhook(change(), rules(), { url: receiver.url, events, ...fields });
    hooks.push(webhook.key);
    return { key: webhook.key, secret };
  };
  const of = (user: { id: number }) => receiver.got.filter(({ message }) => message.data.subject_id === user.id);
  const until = (count: number, got: () => Received[] = () => receiver.got) =>
    vi.waitFor(() => {
      if (got().length < count) throw new Error(`${got().length} of ${count} messages`);
      return got();
    }, patience);
  const deliveries = (key: string) =>
    listDeliveries(app().services.database, key, { status: undefined, after: undefined, limit: 100 });
  const settled = (key: string, state: string) =>
    vi.waitFor(async () => {
      const found = await deliveries(key);
      expect(found.map((delivery) => delivery.status)).toEqual(found.map(() => state));
      expect(found.length).toBeGreaterThan(0);
      return found;
    }, patience);
  const failedOnce = (key: string) =>
    vi.waitFor(async () => {
      const [delivery] = await deliveries(key);
      expect(delivery?.attempts).toBeGreaterThan(0);
      return delivery;
    }, patience);
  const rename = (user: { username: string }, fullName: string) =>
    changeUser(app().change(), user.username, { fullName });
  const clockBy = (ms: number) => app().clock.advance(ms);

  test('a message is signed, contains the changed user, and no secret', async () => {
    const { key, secret } = await add(['user.updated']);
    const user = await app().seedUser({ fullName: 'Ada' });
    await rename(user, 'Żółw "x"');

    const [request] = await until(1);

    expect([request?.method, request?.path]).toEqual(['POST', '/hook?k=1']);
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers['user-agent']).toMatch(/^authsvc\/\d/);
    expect(request?.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/);
    expect(request?.headers['webhook-signature']).toBe(request && signatureBy(secret, request));
    if (!request) throw new Error('no message');
    const { type, timestamp, data } = request.message;
    expect(type).toBe('user.updated');
    expect(Date.parse(String(timestamp))).toBeGreaterThan(app().clock.now() - MINUTE_MS);
    expect(data).toMatchObject({
      subject_name: user.username,
      actor_type: 'system',
      details: { fields: ['full_name'] },
    });
    expect(data.user).toMatchObject({ user_id: user.id, full_name: 'Żółw "x"', sub: user.sub });
    expect(request?.body).not.toMatch(/argon2|password_hash/);
    const [delivery] = await settled(key, 'delivered');
    expect(delivery).toMatchObject({
      id: request?.headers['webhook-id'],
      attempts: 1,
      responseStatus: 200,
      error: null,
    });
  });

  test('a message about a removed user describes the user before the removal', async () => {
    await add(['user.removed']);
    const user = await app().seedUser({ fullName: 'Gone' });
    await removeUser(app().change(), user);

    const [request] = await until(1);

    expect(request?.message.data.user).toMatchObject({ user_id: user.id, full_name: 'Gone' });
  });

  test('a change that is rolled back is not sent', async () => {
    const { key } = await add(['*']);
    const user = await app().seedUser();
    await until(1);
    const subject = { id: user.id, name: user.username };
    const details = { fields: ['full_name'], from: {}, to: {} };
    await expect(
      app().services.database.transaction(async (tx) => {
        await recordEvent(tx, { type: 'user.updated', actor: systemActor, subject, details });
        throw new Error('rolled back');
      }),
    ).rejects.toThrow('rolled back');

    expect((await settled(key, 'delivered')).length).toBe(1);
  });

  test('an import sends nothing', async () => {
    const { key } = await add(['*']);
    const user = await app().seedUser();
    await until(1);
    const { actor, ...rest } = app().change();
    await changeUser({ ...rest, actor: { ...actor, isImport: true } }, user.username, { fullName: 'Imported' });
    await rename(user, 'Changed');
    await until(2);

    expect((await settled(key, 'delivered')).length).toBe(2);
    expect(receiver.got.map(({ message }) => message.type)).toEqual(['user.created', 'user.updated']);
  });

  test('a webhook with an application gets only events about users who may use the application before or after the change, and about the application', async () => {
    const wiki = `wiki-${database}`;
    const fields = { key: wiki, name: 'Wiki', roles: ['normaluser'] };
    await addApplication(app().change(), rules(), fields);
    await addApplication(app().change(), rules(), { ...fields, key: `${wiki}-2` });
    await add(['*'], { app: wiki.toUpperCase() });
    const stranger = await app().seedUser();
    const member = await app().seedUser({ apps: ['authsvc', wiki] });
    await rename(stranger, 'Stranger');
    await changeUser(app().change(), member.username, { apps: ['authsvc'] });
    await rename(member, 'Stranger too');
    await changeUser(app().change(), stranger.username, { apps: [wiki] });
    await changeUser(app().change(), stranger.username, { isActive: false });
    await rename(stranger, 'Inactive');
    await changeApplication(app().change(), rules(), `${wiki}-2`, { name: 'Other' });
    await changeApplication(app().change(), rules(), wiki, { name: 'Mine' });

    await until(5);
    const told = receiver.got.map(({ message: { type, data } }) => `${type} ${data.subject_name ?? data.application}`);

    expect(told.sort()).toEqual(
      [
        `user.created ${member.username}`,
        `user.updated ${member.username}`,
        `user.updated ${stranger.username}`,
        `user.deactivated ${stranger.username}`,
        `application.changed ${wiki}`,
      ].sort(),
    );
  });

  test('a delivery that failed is repeated with the same id and bytes; later events of its user wait, and those of other users do not', async () => {
    const { key } = await add(['user.updated']);
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    receiver.answer = status(503, {}, `\0${'x'.repeat(5000)}`);
    await rename(ada, 'First');
    const failed = await failedOnce(key);
    receiver.answer = status(204);
    await rename(ada, 'Second');
    await rename(bob, 'Other');
    await until(1, () => of(bob));

    expect(failed).toMatchObject({ status: 'waiting', responseStatus: 503, error: 'status' });
    expect(failed?.responseBody).toBe(`\uFFFD${'x'.repeat(1023)}`);
    expect(of(ada)).toHaveLength(1);
    clockBy(6 * SECOND_MS);
    const [first, again, second] = await until(3, () => of(ada));
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(again?.body).toBe(first?.body);
    expect(again?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature']);
    expect(second?.message.data.user).toMatchObject({ full_name: 'Second' });
    await settled(key, 'delivered');
  });

  test('many changes of one user arrive in order, and those of many users ten at a time', async () => {
    const { key } = await add(['user.updated']);
    const users = await Promise.all(Array.from({ length: 14 }, () => app().seedUser()));
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => void held.push(() => response.writeHead(200).end());
    for (const user of users) await rename(user, 'A');
    await until(10);
    const [first] = users;
    for (const name of ['B', 'C', 'D']) if (first) await rename(first, name);
    receiver.answer = status(200);
    for (const release of held) release();
    await until(17);

    expect(Math.max(...receiver.got.map(({ atOnce }) => atOnce))).toBe(10);
    const names = of(first ?? { id: 0 }).map(({ message }) => Object(message.data.user).full_name);
    expect(names).toEqual(['A', 'B', 'C', 'D']);
    await settled(key, 'delivered');
  });

  test('many waiting changes of one user are set aside, and are sent in order when it is their turn', async () => {
    const { key } = await add(['user.updated']);
    const user = await app().seedUser();
    const held: (() => void)[] = [];
    receiver.answer = (_request, response) => void held.push(() => response.writeHead(200).end());
    const names = Array.from({ length: 45 }, (_, at) => `Name ${at}`);
    for (const name of names) await rename(user, name);
    const behind = () =>
      app().services.database.kysely.selectFrom('outbox').select('position').where('is_behind', '=', 1).execute();
    await vi.waitFor(async () => expect((await behind()).length).toBeGreaterThan(20), patience);

    receiver.answer = status(200);
    for (const release of held) release();
    await until(names.length);

    expect(receiver.got.map(({ message }) => Object(message.data.user).full_name)).toEqual(names);
    await settled(key, 'delivered');
    expect(await behind()).toEqual([]);
  });

  test.each([
    ['one user', 1],
    ['10,000 users', 10_000],
  ])(
    '10,000 deliveries of %s that wait for a hanging receiver do not delay others',
    async (_whose, count) => {
      const hanging = await startReceiver();
      hanging.answer = () => undefined;
      const { key } = await add(['user.created'], { url: hanging.url });
      const { kysely } = app().services.database;
      const { id } = await kysely.selectFrom('webhooks').select('id').where('key', '=', key).executeTakeFirstOrThrow();
      const now = app().clock.now();
      for (let at = 0; at < 10_000; at += 1000) {
        const ids = Array.from({ length: 1000 }, (_, index) => at + index);
        const common = (index: number) => ({
          id: `${key} ${index}`,
          webhook_id: id,
          lane: `${id} ${index % count}`,
          created_at: now,
        });
        await kysely
          .insertInto('webhook_deliveries')
          .values(
            ids.map((index) => ({
              ...common(index),
              audit_id: index,
              event: 'x',
              body: '{}',
              status: 'waiting',
              attempts: 0,
            })),
          )
          .execute();
        await kysely
          .insertInto('outbox')
          .values(
            ids.map((index) => ({
              ...common(index),
              kind: 'webhook',
              payload: '',
              position: index,
              next_attempt_at: now,
              expires_at: now + DAY_MS,
            })),
          )
          .execute();
      }
      await vi.waitFor(() => expect(hanging.got.length).toBe(Math.min(count, 10)), patience);
      await add(['user.updated']);

      await rename(await app().seedUser(), 'x');
      await until(1);

      expect(hanging.got.length).toBe(Math.min(count, 10));
      // A message that waits behind another message of the same lane is marked, so that later searches skip it.
      const passed = kysely.selectFrom('outbox').select('id').where('webhook_id', '=', id).where('is_behind', '=', 0);
      if (count === 1) await vi.waitFor(async () => expect((await passed.execute()).length).toBeLessThan(30), patience);
      await hanging.close();
      await kysely.deleteFrom('outbox').where('webhook_id', '=', id).execute();
    },
    120_000,
  );

  test('a longer Retry-After is respected, up to three hours', async () => {
    const { key } = await add(['user.updated']);
    const user = await app().seedUser();
    receiver.answer = status(429, { 'retry-after': '999999' });
    const from = app().clock.now();
    await rename(user, 'x');

    const failed = await failedOnce(key);

    const waits = (failed?.nextAttemptAt ?? 0) - from;
    expect(waits).toBeGreaterThanOrEqual(3 * HOUR_MS);
    expect(waits).toBeLessThan(3 * HOUR_MS + MINUTE_MS);
  });

  test('after a day a delivery fails, the next one of its user is sent, and a retry sends the failed one again', async () => {
    const { key } = await add(['user.updated']);
    const user = await app().seedUser();
    receiver.answer = status(500);
    await rename(user, 'First');
    await failedOnce(key);
    clockBy(DAY_MS);
    const [failed] = await settled(key, 'failed');
    receiver.answer = status(200);
    await rename(user, 'Second');
    await until(3);
    expect(failed).toMatchObject({ attempts: 2, error: 'status', nextAttemptAt: null });

    const { database: db, outbox } = app().services;
    const retry = (id?: string) => retryDeliveries({ database: db, now: app().clock.now(), outbox }, key, id);
    await expect(retry('msg_unknown')).rejects.toThrow();
    expect(await retry(failed?.id)).toBe(1);
    await settled(key, 'delivered');

    await expect(retry(failed?.id)).rejects.toThrow();
    expect(await retry()).toBe(0);
    expect(receiver.got.map(({ message }) => Object(message.data.user).full_name)).toEqual([
      'First',
      'First',
      'Second',
      'First',
    ]);
  });

  test('status 410 disables the webhook, and events while it is disabled are never sent', async () => {
    const { key } = await add(['user.updated']);
    const user = await app().seedUser();
    receiver.answer = status(410);
    await rename(user, 'First');
    const [failed] = await settled(key, 'failed');
    await rename(user, 'Second');
    receiver.answer = status(200);
    const { database: db } = app().services;
    const row = await db.kysely
      .selectFrom('audit_events')
      .select(['details', 'actor_type'])
      .where('event', '=', 'webhook.changed')
      .orderBy('id', 'desc')
      .executeTakeFirst();

    expect([failed?.responseStatus, row?.actor_type]).toEqual([410, 'system']);
    expect(JSON.parse(row?.details ?? '')).toEqual({ id: key, change: 'disabled', fields: ['is_active'] });
    await changeWebhook(change(), rules(), key, { isActive: true });
    await rename(user, 'Third');
    await until(2);
    expect(receiver.got.map(({ message }) => Object(message.data.user).full_name)).toEqual(['First', 'Third']);
  });

  test('deliveries that wait when a webhook is disabled are sent once it is active again', async () => {
    const { key } = await add(['user.updated']);
    const user = await app().seedUser();
    receiver.answer = status(500);
    await rename(user, 'First');
    await failedOnce(key);
    await changeWebhook(change(), rules(), key, { isActive: false });
    receiver.answer = status(200);
    clockBy(10 * SECOND_MS);
    const other = await startReceiver();
    await addWebhook(change(), rules(), { url: other.url, events: ['user.updated'] }).then(({ webhook }) =>
      hooks.push(webhook.key),
    );
    await rename(user, 'Second');
    await until(1, () => other.got);
    await other.close();
    expect(receiver.got).toHaveLength(1);

    await changeWebhook(change(), rules(), key, { isActive: true });
    await until(2);

    expect(receiver.got.map(({ message }) => Object(message.data.user).full_name)).toEqual(['First', 'First']);
  });

  test('messages are also signed with the old secret until it ends', async () => {
    const { key, secret } = await add(['user.updated']);
    const user = await app().seedUser();
    const { secret: next } = await rotateWebhookSecret(change(), key, 1);
    await rename(user, 'Both');
    await until(1);
    clockBy(HOUR_MS + MINUTE_MS);
    await rename(user, 'New');
    const [both, alone] = await until(2);

    const signatures = (request: Received | undefined, secrets: string[]) =>
      secrets.map((one) => request && signatureBy(one, request)).join(' ');
    expect(both?.headers['webhook-signature']).toBe(signatures(both, [next, secret]));
    expect(alone?.headers['webhook-signature']).toBe(signatures(alone, [next]));
    await expect(rotateWebhookSecret(change(), key, 721)).rejects.toThrow();
  });

  test('a receiver that hangs delays no other receiver, and its delivery times out', async () => {
    const { key } = await add(['user.updated']);
    receiver.answer = () => undefined;
    const quick = await startReceiver();
    const { webhook } = await addWebhook(change(), rules(), { url: quick.url, events: ['user.updated'] });
    hooks.push(webhook.key);
    const users = await Promise.all(Array.from({ length: 12 }, () => app().seedUser()));
    for (const user of users) await rename(user, 'x');

    await until(12, () => quick.got);
    await until(10, () => receiver.got);
    expect(receiver.got).toHaveLength(10);
    const failed = await failedOnce(key);
    await quick.close();

    expect(failed).toMatchObject({ error: 'timeout', responseStatus: null });
  });

  test.each([
    ['a redirect', { url: '', answer: status(302, { location: 'http://127.0.0.1:9/' }) }, 'redirect', 302],
    ['a closed port', { url: 'http://127.0.0.1:9/', answer: status(200) }, 'refused', null],
    ['an unknown name', { url: 'http://nowhere.invalid/', answer: status(200) }, 'dns', null],
    ['no TLS', { url: 'https', answer: status(200) }, 'tls', null],
  ] as const)('%s is reported as a failure', async (_what, { url, answer }, error, code) => {
    receiver.answer = answer;
    const { key } = await add(['user.updated'], {
      url: url === 'https' ? receiver.url.replace('http:', 'https:') : url || receiver.url,
    });

    const delivery = await sendTest({ ...change(), lookUps: new SharedWork() }, rules(), key);

    expect(delivery).toMatchObject({ event: 'webhook.test', status: 'failed', error, responseStatus: code });
  });

  test('a name that resolves to a forbidden address gets no message', async () => {
    const { key } = await add(['*'], { url: `http://localhost:${receiver.port}/` });
    const closed = { ...rules(), WEBHOOK_PRIVATE_NETWORKS: 'off' } as const;

    expect(await sendTest({ ...change(), lookUps: new SharedWork() }, rules(), key)).toMatchObject({
      status: 'delivered',
    });
    expect(await sendTest({ ...change(), lookUps: new SharedWork() }, closed, key)).toMatchObject({
      error: 'address_not_allowed',
    });
    const { key: literal } = await add(['*']);
    expect(await sendTest({ ...change(), lookUps: new SharedWork() }, closed, literal)).toMatchObject({
      error: 'address_not_allowed',
    });
    expect(receiver.got).toHaveLength(1);
  });

  test('only one process at a time sends (has the turn); another process takes over when this one ends, dies or had a wrong clock', async () => {
    const { database: db, clock } = app().services;
    const taken: string[] = [];
    const turn = (name: string) =>
      new Turn({
        database: db,
        clock,
        name: 'test',
        isNeeded: async () => true,
        onHeld: async (isNew) => void (isNew && taken.push(name)),
      });
    const [first, second, third] = [turn('first'), turn('second'), turn('third')];

    expect([await first.isMine(), await second.isMine()]).toEqual([true, false]);
    clockBy(4 * SECOND_MS);
    expect([await first.isMine(), await second.isMine()]).toEqual([true, false]);
    await first.end();
    clockBy(2 * SECOND_MS);
    expect([await second.isMine(), await third.isMine()]).toEqual([true, false]);
    clockBy(6 * SECOND_MS);
    expect(await third.isMine()).toBe(true);
    clockBy(DAY_MS);
    expect(await third.isMine()).toBe(true);
    clockBy(-DAY_MS);
    expect(await second.isMine()).toBe(true);
    // `third` appears twice. After its pause of a day it took the turn as a new one, because another process could have
    // had the turn in the meantime.
    expect(taken).toEqual(['first', 'second', 'third', 'third', 'second']);
  });

  test('a delivery that was postponed while the clock was ahead is sent when the clock is right', async () => {
    const { key } = await add(['user.updated']);
    receiver.answer = status(500);
    const user = await app().seedUser();
    await rename(user, 'First');
    await failedOnce(key);
    receiver.answer = status(200);
    const { kysely } = app().services.database;
    const row = kysely.selectFrom('webhooks').select('id').where('key', '=', key);
    const ahead = app().clock.now() + DAY_MS;
    await kysely
      .updateTable('outbox')
      .set({ next_attempt_at: ahead, created_at: ahead })
      .where('webhook_id', '=', row)
      .execute();

    await settled(key, 'delivered');
    expect((await deliveries(key)).map(({ attempts }) => attempts)).toEqual([2]);
  });

  test('a delivery that was added while the clock was ahead is sent at once, and one that waits for a retry keeps waiting', async () => {
    const { key } = await add(['user.updated']);
    const [first, second] = [await app().seedUser(), await app().seedUser()];
    receiver.answer = status(503, { 'retry-after': '10000' });
    await rename(first, 'Waits');
    await failedOnce(key);
    receiver.answer = status(200);

    clockBy(HOUR_MS);
    await rename(second, 'Ahead');
    clockBy(-HOUR_MS);
    await until(1, () => of(second));

    expect(of(first)).toHaveLength(1);
  });

  test('the 10,001st waiting delivery fails at once', async () => {
    const { key } = await add(['user.updated']);
    const user = await app().seedUser();
    const { kysely } = app().services.database;
    const { id } = await kysely.selectFrom('webhooks').select('id').where('key', '=', key).executeTakeFirstOrThrow();
    const rows = Array.from({ length: 10_000 }, (_, at) => ({
      id: `${key} ${at}`,
      kind: 'test',
      payload: '',
      webhook_id: id,
      created_at: 0,
      next_attempt_at: 0,
      expires_at: 0,
    }));
    for (let at = 0; at < rows.length; at += 1000)
      await kysely
        .insertInto('outbox')
        .values(rows.slice(at, at + 1000))
        .execute();
    await rename(user, 'x');

    const [delivery] = await deliveries(key);

    expect(delivery).toMatchObject({ status: 'failed', attempts: 0, error: 'too_many_waiting' });
    expect(
      app()
        .log()
        .some(({ msg }) => String(msg).includes(key)),
    ).toBe(true);
    await kysely.deleteFrom('outbox').where('webhook_id', '=', id).execute();
  });

  test('deliveries are kept for 7 days, failed ones for 30', async () => {
    const { key } = await add(['user.updated']);
    const user = await app().seedUser();
    await rename(user, 'Delivered');
    await settled(key, 'delivered');
    receiver.answer = status(410);
    await rename(user, 'Failed');
    await vi.waitFor(async () => expect((await deliveries(key))[0]?.status).toBe('failed'), patience);
    const clean = (days: number) =>
      deleteOldDeliveries.run(app().services.database, { now: app().clock.now() + days * DAY_MS, most: 100 });
    const left = async () => (await deliveries(key)).map((delivery) => delivery.status);

    await clean(6.9);
    expect(await left()).toEqual(['failed', 'delivered']);
    await clean(7.1);
    expect(await left()).toEqual(['failed']);
    await clean(29.9);
    expect(await left()).toEqual(['failed']);
    await clean(30.1);
    expect(await left()).toEqual([]);
  });
});
