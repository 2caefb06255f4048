import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { claimMessages, dueMessages } from '../../src/delivery/queries.ts';
import { HOUR_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { parseEmail } from '../../src/lib/email-address.ts';
import { changePassword } from '../../src/users/change-password.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { offerReset } from '../../src/welcome/offer-link.ts';
import { eachDatabase } from '../support/each-database.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { change } from '../support/my-account.ts';
import { type SeededUser, startApp, type TestApp } from '../support/start-app.ts';
import { expectError } from './support.ts';

const NEW = 'another-horse-8';
/** Long enough for a busy machine. Every wait ends as soon as its condition is true. */
const patience = { timeout: 60_000, interval: 50 };

eachDatabase('mail', (database) => {
  const stops: (() => Promise<void>)[] = [];
  let app: TestApp;
  let server: MailServer;
  let name = 0;
  beforeAll(async () => {
    server = await startMailServer();
    app = await startApp({ onTestFinished: (stop) => void stops.push(stop) }, { database, settings: server.settings });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    await server.close();
  });
  beforeEach(() => {
    server.mode = 'take';
    server.mails.length = 0;
  });

  async function seed(): Promise<SeededUser & { email: string }> {
    const user = await app.seedUser();
    name += 1;
    const email = `box${name}@box.test`;
    await changeUser(app.change(), user.username, { email: parseEmail(email) });
    return { ...user, email };
  }
  const forgot = (username: unknown) => app.client().post('/authsvc/api/forgot', { username });
  const mailsTo = (email: string) => server.mails.filter(({ to }) => to.includes(email));
  const mailTo = (email: string) =>
    vi.waitFor(() => {
      const [mail] = mailsTo(email);
      if (!mail) throw new Error('no mail yet');
      return mail;
    }, patience);
  const waiting = async () =>
    (await app.services.database.kysely.selectFrom('outbox').select(['id', 'kind', 'payload', 'attempts']).execute())
      .length;
  const settled = () => vi.waitFor(async () => expect(await waiting()).toBe(0), patience);

  test('for a forgotten password, a mail in the requested language contains a link with which the user signs in', async () => {
    const user = await seed();
    const headers = { 'accept-language': 'de', host: 'evil.test', 'x-forwarded-host': 'evil.test' };

    const reply = await app.client().post('/authsvc/api/forgot', { username: user.email }, { headers });
    const { raw, text } = await mailTo(user.email);

    expect(reply.status).toBe(202);
    expect(raw).toMatch(/^From: Accounts <accounts@box\.test>/m);
    expect(raw).toMatch(/^Auto-Submitted: auto-generated/m);
    expect(raw).not.toContain('evil.test');
    expect(text).toContain('wählen Sie hier ein neues Passwort');
    const [, code = ''] = /\/authsvc\/welcome\/([\w-]{43})/.exec(text) ?? [];
    expect((await app.client().post('/authsvc/api/welcome', { code, new_password: NEW })).status).toBe(200);
    await settled();
  });

  test('for a forgotten password, the reply is the same for every name, and an account gets at most three mails an hour', async () => {
    const user = await seed();
    const inactive = await seed();
    await changeUser(app.change(), inactive.username, { isActive: false });
    const bare = await app.seedUser();

    const names = [user.username, 'nobody', 'nobody@box.test', inactive.email, bare.username, "'; --"];
    const replies = await Promise.all(names.map(forgot));
    await settled();
    for (let round = 0; round < 3; round += 1) {
      await forgot(user.username);
      await settled();
    }

    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(server.mails.flatMap(({ to }) => to)).toEqual(Array.from({ length: 3 }, () => user.email));
    app.clock.advance(HOUR_MS);
    await forgot(user.username);
    await vi.waitFor(() => expect(mailsTo(user.email)).toHaveLength(4), patience);
    for (const bad of [undefined, '', { a: 1 }]) expect((await forgot(bad)).status).toBe(400);
  });

  test.runIf(database === 'postgres')(
    'a link for an address that changes in the meantime is mailed to the new one',
    async () => {
      const user = await seed();
      const next = `new-${user.email}`;
      const { kysely } = app.services.database;
      const isWaiting = async () =>
        (
          await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(kysely)
        ).rows[0]?.count === 1;

      await app.services.database.transaction(async (tx) => {
        const set = { email: next, email_key: next };
        await tx.kysely.updateTable('users').set(set).where('username', '=', user.username).execute();
        await forgot(user.username);
        await vi.waitUntil(isWaiting, patience);
      });

      expect((await mailTo(next)).text).toContain('/authsvc/welcome/');
      expect(mailsTo(user.email)).toEqual([]);
    },
  );

  test('a refused mail is sent again after ten seconds, and dropped when its link ends', async () => {
    const [user, other] = [await seed(), await seed()];
    server.mode = 'refuse';
    await Promise.all([forgot(user.username), forgot(other.username)]);
    const attempted = async () =>
      (await app.services.database.kysely.selectFrom('outbox').select('id').where('attempts', '=', 1).execute()).length;
    await vi.waitFor(async () => expect(await attempted()).toBe(2), patience);
    const needs = { ...app.change(), settings: app.services.settings, outbox: app.services.outbox, baseUrl: '' };
    const { link } = await offerReset(needs, { user: other, hours: 1, removesFactor: false, isSent: false });
    const code = link?.split('/').at(-1);
    server.mode = 'take';
    expect((await app.client().post('/authsvc/api/welcome', { code, new_password: NEW })).status).toBe(200);

    await vi.waitFor(async () => expect(await waiting()).toBe(1), patience);
    app.clock.advance(10 * SECOND_MS);
    await settled();

    expect(mailsTo(user.email)).toHaveLength(1);
    expect(mailsTo(other.email).map(({ text }) => text.includes('/welcome/'))).toEqual([false]);
    expect(JSON.stringify(app.log())).not.toContain(user.email);
  });

  test('a mail server that hangs or replies with nonsense delays no request', async () => {
    const user = await seed();
    for (const mode of ['hang', 'garbage'] as const) {
      server.mode = mode;
      const before = server.connections;
      expect((await forgot(user.username)).status).toBe(202);
      await vi.waitFor(() => expect(server.connections).toBeGreaterThan(before), patience);
      expect((await app.client().get('/readyz')).status).toBe(200);
      expect((await app.client().login(user)).status).toBe(200);
    }
  });

  test('mails that another process left unfinished are taken over within ten seconds', async () => {
    const user = await seed();
    const { database: db } = app.services;
    await db.transaction((tx) =>
      app.services.outbox.add(tx, {
        kind: 'mail',
        payload: { to: user.email, subject: 's', text: 't' },
        expiresAt: app.clock.now() + HOUR_MS,
      }),
    );
    await mailTo(user.email);
    const dead = { kind: 'dead', payload: { to: user.email }, expiresAt: app.clock.now() + HOUR_MS };
    await db.transaction((tx) => app.services.outbox.add(tx, dead));
    const now = app.clock.now();
    const due = { kinds: ['dead'], full: [], now, latest: now + HOUR_MS, limit: 10 };
    const row = await dueMessages.first(db, due);
    const claim = {
      ids: [row?.id ?? ''],
      claim: 'of a process that died',
      now,
      until: now + 6 * SECOND_MS,
      latest: now + HOUR_MS,
    };
    expect(await claimMessages.first(db, claim)).toBeDefined();

    expect(await claimMessages.first(db, { ...claim, claim: 'second' })).toBeUndefined();
    expect(await dueMessages.first(db, { ...due, now: now + 10 * SECOND_MS })).toBeDefined();
    await db.kysely.deleteFrom('outbox').where('kind', '=', 'dead').execute();
  });

  test("a sign-in from a new browser causes a notice, unless it is the user's first sign-in", async () => {
    const user = await seed();
    const known = await app.signIn(user);
    await known.post('/authsvc/api/logout', { _csrf: await known.csrf('/authsvc/login') });
    expect((await known.login(user)).status).toBe(200);
    await settled();
    expect(mailsTo(user.email)).toEqual([]);

    const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
    const body = { username: user.username, password: user.password };
    await app.client().post('/authsvc/api/login', body, { headers: { 'user-agent': userAgent } });

    const { text } = await mailTo(user.email);
    expect(text).toContain('from a browser that we do not recognise');
    expect(text).toMatch(/^Time: [\d :-]+ UTC\r?\nBrowser: Firefox 128 on Linux\r?\nIP address: /m);
    expect(text).toContain(`${app.services.baseUrl()}/authsvc/account/sessions`);
    await settled();
  });

  test('users get notices of changes, also at their old address, and no notice contains a link or a secret', async () => {
    const user = await seed();
    const { passwords, settings } = app.services;
    const operator = { ...app.change(), actor: { type: 'operator' } } as const;
    await changePassword({ ...operator, passwords, application: settings }, { user, password: NEW, way: 'command' });
    await vi.waitFor(() => expect(mailsTo(user.email)).toHaveLength(1), patience);
    await changeUser(operator, user.username, { email: parseEmail('new@box.test') });
    await vi.waitFor(() => expect(mailsTo(user.email)).toHaveLength(2), patience);

    expect(mailsTo('new@box.test')).toEqual([]);
    for (const { text } of mailsTo(user.email)) {
      expect(text).toContain('An administrator made this change.');
      expect(text).not.toMatch(/\/(welcome|email)\//);
      expect(text).not.toContain(NEW);
    }
  });

  test('the notice of a change by a superadmin says so, and does not contain the address of the superadmin', async () => {
    const [user, root] = [await seed(), await app.seedUser({ role: 'superadmin' })];
    const actor = { type: 'user', id: root.id, name: root.username, address: '198.51.100.9', language: 'de' } as const;

    await changeUser({ ...app.change(), actor }, user.username, { email: parseEmail('newer@box.test') });

    const { text } = await mailTo(user.email);
    expect(text).toContain('An administrator made this change.');
    expect(text).not.toContain('198.51.100.9');
  });

  test('the notice of a new password says which sessions have ended and whether API tokens still work', async () => {
    const user = await seed();
    const client = await app.signIn(user);
    const { passwords, settings } = app.services;
    const operator = { ...app.change(), actor: { type: 'operator' } } as const;
    const setOwn = (current_password: string, new_password: string, end_tokens: boolean) =>
      change(client, 'POST', '/password', { current_password, new_password, end_tokens });

    expect((await setOwn(user.password, NEW, false)).status).toBe(200);
    await vi.waitFor(() => expect(mailsTo(user.email)).toHaveLength(1), patience);
    expect((await setOwn(NEW, `${NEW}9`, true)).status).toBe(200);
    await vi.waitFor(() => expect(mailsTo(user.email)).toHaveLength(2), patience);
    await changePassword({ ...operator, passwords, application: settings }, { user, password: NEW, way: 'command' });
    await vi.waitFor(() => expect(mailsTo(user.email)).toHaveLength(3), patience);

    expect(mailsTo(user.email).map(({ text }) => text.split(/\r?\n/)[2])).toEqual([
      'The password of your account was changed. All other sessions have ended. API tokens still work.',
      'The password of your account was changed. All other sessions have ended. API tokens no longer work.',
      'The password of your account was changed. All sessions have ended. API tokens stay.',
    ]);
  });
});

test('without a mail server there are no pages or routes about mail', async (t) => {
  const app = await startApp(t, { database: 'sqlite' });

  expectError(await app.client().post('/authsvc/api/forgot', { username: 'a' }), 'NOT_FOUND');
  expect((await app.client().page('/authsvc/forgot')).status).toBe(404);
  expect((await app.client().page('/authsvc/login')).text).not.toContain('/authsvc/forgot');
});
