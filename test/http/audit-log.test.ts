import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { readAuditFilter } from '../../src/audit/read-filter.ts';
import type { Transaction } from '../../src/db/handle.ts';
import { systemActor } from '../../src/events/actor.ts';
import { type AuditEvent, auditFields, toAuditJson } from '../../src/events/audit-event.ts';
import { toAuditRow } from '../../src/events/audit-log.ts';
import { toRecord } from '../../src/events/event-record.ts';
import { followAuditEvents } from '../../src/events/follow-events.ts';
import { type AuditCursor, type AuditFilter, listAuditEvents, readAuditEvents } from '../../src/events/list-events.ts';
import { deleteOldAuditEvents, insertAuditEvents } from '../../src/events/queries.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { RefusalQueue } from '../../src/events/refusal-queue.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { removeUser } from '../../src/users/remove-user.ts';
import { inviteUser } from '../../src/welcome/offer-link.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

const list = async (app: TestApp, filter: AuditFilter) =>
  (await listAuditEvents(app.services.database, filter, { limit: 200 })).events;

/** The time of the first event that `fill` adds. The others follow at intervals of one minute. */
const START = Date.now() - 2 * DAY_MS;
const timeOf = (index: number) => START + index * 60_000;

/** Adds events, oldest first. Returns their ids, newest first. */
async function fill(app: TestApp, parts: { event: string; subject?: number; actor?: number; address: string }[]) {
  const events = parts.map(({ event, subject = null, actor = null, address }, index) => ({
    ...toAuditRow(
      toRecord({ type: 'sessions.ended_all', actor: systemActor, subject: null, details: { sessions: 1 } }, 0),
    ),
    at: timeOf(index),
    event,
    subject_id: subject,
    actor_id: actor,
    address,
  }));
  await insertAuditEvents.run(app.services.database, { events });
  const [first] = parts;
  return (await list(app, { address: first?.address })).map(({ id }) => id);
}

eachDatabase('the audit log', (database) => {
  const app = sharedApp({ database, settings: { RATE_LIMITS: 'off', env: 'dev' } });

  test('has a row for each change, with every field', async () => {
    const user = await app().seedUser({ apps: ['wiki'] });
    const client = app().client();
    const headers = { 'user-agent': 'Suite/1.0', 'x-forwarded-for': '192.0.2.81' };
    const json = { username: user.username, password: user.password };

    await client.request('POST', '/authsvc/api/login', { json, headers });
    await changeUser(app().change(), user.username, { apps: ['authsvc'] });
    await client.request('POST', '/authsvc/api/login', { json, headers });

    const rows = (await list(app(), { userIds: [user.id] })).filter(({ event }) => !event.endsWith('.refused'));
    expect(rows.map(({ event }) => event)).toEqual(['user.signed_in', 'user.updated', 'user.created']);
    const [row] = rows.map(toAuditJson);
    expect(Object.keys(row ?? {})).toEqual([...auditFields]);
    expect(row).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      event: 'user.signed_in',
      actor_type: 'user',
      actor_id: user.id,
      actor_name: user.username,
      subject_id: user.id,
      subject_name: user.username,
      session_ref: expect.stringMatching(/^[0-9a-f]{24}$/),
      address: '192.0.2.81',
      user_agent: 'Suite/1.0',
      application: null,
      request_id: expect.stringMatching(/^[\w-]+$/),
      details: { method: 'password', second_factor: 'none', sessions_ended: 0 },
    });
  });

  test('has no row for a change that fails later', async () => {
    const user = await app().seedUser();
    const subject = { id: user.id, name: user.username };

    const work = app().services.database.transaction(async (tx) => {
      await recordEvent(tx, { type: 'password.changed', actor: systemActor, subject, details: { way: 'self' } });
      throw new Error('on purpose');
    });

    await expect(work).rejects.toThrow('on purpose');
    expect((await list(app(), { userIds: [user.id] })).map(({ event }) => event)).toEqual(['user.created']);
  });

  test('finds events by every filter, alone and combined, page by page, each once', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    const address = `2001:db8::${ada.id}`;
    const kinds = ['token.created', 'token.revoked', 'session.ended'];
    const ids = await fill(
      app(),
      Array.from({ length: 30 }, (_, index) => ({
        event: kinds[index % 3] ?? '',
        subject: index % 2 === 0 ? ada.id : bob.id,
        actor: index % 5 === 0 ? ada.id : bob.id,
        address,
      })),
    );
    expect(ids).toHaveLength(30);
    const indexes = Array.from({ length: 30 }, (_, index) => 29 - index);
    const cases: [AuditFilter, (index: number) => boolean][] = [
      [{ address }, () => true],
      [{ address, userIds: [ada.id] }, (index) => index % 2 === 0 || index % 5 === 0],
      [{ address, userIds: [ada.id, bob.id] }, () => true],
      [{ address, events: ['token.created'] }, (index) => index % 3 === 0],
      [{ events: ['token.created', 'session.ended'], address }, (index) => index % 3 !== 1],
      [
        { userIds: [ada.id], events: ['session.ended'], address },
        (index) => (index % 2 === 0 || index % 5 === 0) && index % 3 === 2,
      ],
      [{ address, since: timeOf(10), until: timeOf(20) }, (index) => index >= 10 && index < 20],
      [{ address, application: 'wiki' }, () => false],
      [{ address, userIds: [] }, () => false],
    ];
    for (const [filter, isFound] of cases) {
      const expected = indexes.filter(isFound).map((index) => ids[29 - index]);
      const found: number[] = [];
      let after: AuditCursor | undefined;
      do {
        const page = await listAuditEvents(app().services.database, filter, { limit: 4, after });
        found.push(...page.events.map(({ id }) => id));
        after = page.next;
      } while (after);
      expect(found, JSON.stringify(filter)).toEqual(expected);
      const read: number[] = [];
      for await (const page of readAuditEvents(app().services.database, filter, 7))
        read.push(...page.map(({ id }) => id));
      expect(read).toEqual(expected.slice(0, 7));
    }
  });

  test('finds the events of every user who had a name, in any case of letters, even after the user was removed', async () => {
    const name = `Äda-${database}`;
    const first = await app().seedUser({ username: name });
    await removeUser(app().change(), first);
    const second = await app().seedUser({ username: name.toUpperCase() });

    const filter = await readAuditFilter(app().services.database, { user: name.toLowerCase() }, () => undefined);

    expect(new Set(filter.userIds)).toEqual(new Set([first.id, second.id]));
    const events = (await list(app(), filter)).map(({ event, subject_name }) => [event, subject_name]);
    expect(events).toEqual([
      ['user.created', second.username],
      ['user.removed', name],
      ['user.created', name],
    ]);
    const unknown = await readAuditFilter(app().services.database, { user: 'never-seen' }, () => undefined);
    expect(await list(app(), unknown)).toEqual([]);
  });

  test('counts equal refusals, names the user if the typed name belongs to one, and otherwise omits the name', async () => {
    const user = await app().seedUser();
    const signedIn = await app().signIn(user);
    const client = app().client();
    const logIn = (username: string) =>
      client.request('POST', '/authsvc/api/login', {
        json: { username, password: 'wrong-horse-8' },
        headers: { 'x-forwarded-for': '192.0.2.82' },
      });
    for (let i = 0; i < 3; i += 1) await logIn(user.username);
    await logIn(`typed-${database}`);
    await client.request('GET', '/authsvc/api/me', { headers: { authorization: `Bearer tok_${'0'.repeat(64)}` } });
    await signedIn.request('POST', '/authsvc/api/logout', { json: { _csrf: 'wrong' } });
    await app().services.notes.finish();

    const rows = await list(app(), { events: ['sign_in.refused', 'request.refused'] });
    const own = rows.filter(({ subject_id }) => subject_id === user.id);
    const count = own.reduce((sum, { details }) => sum + Number(details.count), 0);
    expect(count).toBe(3);
    for (const row of own)
      expect(row).toMatchObject({
        event: 'sign_in.refused',
        actor_type: 'anonymous',
        actor_id: null,
        subject_name: user.username,
        details: { reason: 'PASSWORD_INCORRECT', method: 'password' },
      });
    const reasons = rows.map(({ event, details, subject_id }) => [event, details.reason, subject_id]);
    expect(reasons).toContainEqual(['sign_in.refused', 'USER_UNKNOWN', null]);
    expect(reasons).toContainEqual(['request.refused', 'CSRF_INVALID', null]);
    expect(JSON.stringify(rows)).not.toMatch(/typed-|wrong-horse/);
  });

  test('records that a user has no password, while the client gets no hint of it', async () => {
    const { settings, outbox, baseUrl } = app().services;
    const needs = { ...app().change(), settings, outbox, baseUrl: baseUrl() };
    const wish = { user: { name: `guest-${database}`, role: 'normaluser' }, hours: 1, isSent: false };
    const { username } = await inviteUser(needs, wish);
    const known = await app().seedUser();
    const logIn = (name: string) => app().client().login({ username: name, password: 'wrong-horse-8' });

    const [guest, other] = [await logIn(username), await logIn(known.username)];
    await app().services.notes.finish();

    const [refused] = (await list(app(), { events: ['sign_in.refused'] })).filter(
      ({ subject_name }) => subject_name === username,
    );
    expect(refused?.details).toMatchObject({ reason: 'PASSWORD_INCORRECT', cause: 'no_password' });
    expect({ ...guest.body, request_id: '' }).toEqual({ ...other.body, request_id: '' });
  });

  test('keeps 10,000 waiting refusals, drops and counts the rest, and writes those kept when the database works again', async () => {
    const { database: handle } = app().services;
    const troubles: object[] = [];
    let isAway = true;
    const flaky: typeof handle = {
      ...handle,
      execute: (query) => (isAway ? Promise.reject(new Error('away')) : handle.execute(query)),
    };
    const queue = new RefusalQueue({ database: flaky, onTrouble: (trouble) => troubles.push(trouble) });
    const details = { reason: 'CSRF_INVALID', route: '/many', method: 'password' } as const;
    const add = (address: string) =>
      queue.add(
        toRecord(
          { type: 'request.refused', actor: { type: 'anonymous', address }, subject: null, details },
          timeOf(100),
        ),
      );
    for (let i = 0; i < 10_003; i += 1) add(`many-${i}`);
    for (let i = 0; i < 5; i += 1) add('many-7');

    await queue.finish();
    expect(queue.dropped).toBe(3);
    expect(troubles).toEqual([{ error: expect.objectContaining({ message: 'away' }) }, { dropped: 3 }]);
    isAway = false;
    await queue.finish();

    const { rows } = await sql<{ rows: number }>`
      select count(*) as rows from audit_events where at = ${timeOf(100)}`.execute(handle.kysely);
    expect(Number(rows[0]?.rows)).toBe(10_000);
    expect((await list(app(), { address: 'many-7' }))[0]?.details.count).toBe(6);
    expect(troubles).toHaveLength(2);
  });

  test('refuses to change a row and, on PostgreSQL, to delete a recent one', async () => {
    const { kysely, kind } = app().services.database;
    const user = await app().seedUser();
    const before = await list(app(), { userIds: [user.id] });
    const texts = [
      `update audit_events set event = 'user.removed' where subject_id = ${user.id}`,
      ...(kind === 'postgres'
        ? [`delete from audit_events where subject_id = ${user.id}`, 'truncate audit_events']
        : []),
    ];

    for (const text of texts) await expect(sql.raw(text).execute(kysely), text).rejects.toThrow(/audit_events/);

    expect(await list(app(), { userIds: [user.id] })).toEqual(before);
  });

  test('deletes only old rows, in small steps', async () => {
    const address = `old-${database}`;
    const ids = await fill(
      app(),
      Array.from({ length: 5 }, () => ({ event: 'token.created', address })),
    );
    const now = timeOf(3);
    const step = () => deleteOldAuditEvents.run(app().services.database, { now, most: 2 });
    const ofThese = async () => (await list(app(), { address })).map(({ id }) => id);

    while ((await step()) === 2);

    expect(await ofThese()).toEqual(ids.slice(0, 2));
  });
});

/** Creates a gate that a test can open, and a promise that resolves when the gate is open. */
function gate() {
  let open = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { isOpen, open: () => open() };
}

async function nextOf(following: AsyncGenerator<AuditEvent[]>): Promise<AuditEvent[]> {
  const { value, done } = await following.next();
  return done ? [] : value;
}

describe('following the audit log', () => {
  test('on PostgreSQL returns every event once, in the order of ids, even if transactions overlap', async (t) => {
    const app = await startApp(t, { database: 'postgres' });
    const { database } = app.services;
    const old = await app.seedUser();
    const stop = new AbortController();
    t.onTestFinished(async () => stop.abort());
    const record = (tx: Transaction, sessions: number) =>
      recordEvent(tx, { type: 'sessions.ended_all', actor: systemActor, subject: null, details: { sessions } });
    const [began, goOn] = [gate(), gate()];
    const slow = database.transaction(async (tx) => {
      await record(tx, 1);
      began.open();
      await goOn.isOpen;
    });
    await began.isOpen;
    const following = followAuditEvents(database, {}, stop.signal);
    const first = nextOf(following);
    await database.transaction((tx) => record(tx, 2));
    await database
      .transaction(async (tx) => {
        await record(tx, 3);
        throw new Error('on purpose');
      })
      .catch(() => undefined);
    await database.transaction((tx) => record(tx, 4));
    goOn.open();
    await slow;

    const events = await first;
    while (events.length < 3) events.push(...(await nextOf(following)));

    expect(events.map(({ details }) => details.sessions)).toEqual([1, 2, 4]);
    const ids = events.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const since = followAuditEvents(database, { since: 0, userIds: [old.id] }, stop.signal);
    expect((await nextOf(since)).map(({ event }) => event)).toEqual(['user.created']);
  });
});
