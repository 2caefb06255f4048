import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { parseEmail } from '../../src/lib/email-address.ts';
import { changePassword } from '../../src/users/change-password.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { offerReset } from '../../src/welcome/offer-link.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { accountOf, change, unconfirmed } from '../support/my-account.ts';
import { type SeededUser, startApp, type TestApp } from '../support/start-app.ts';
import { dumpDatabase, expectError, sharedApp } from './support.ts';

const patience = { timeout: 60_000, interval: 50 };

eachDatabase("the user's own e-mail address", (database) => {
  const stops: (() => Promise<void>)[] = [];
  let app: TestApp;
  let server: MailServer;
  let count = 0;
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
  });

  const freshAddress = () => {
    count += 1;
    return `box${count}@box.test`;
  };
  async function seed(): Promise<{ user: SeededUser; former: string; client: Client }> {
    const user = await app.seedUser();
    const former = freshAddress();
    await changeUser(app.change(), user.username, { email: parseEmail(former) });
    return { user, former, client: await app.signIn(user) };
  }
  const textsTo = (email: string) => server.mails.filter(({ to }) => to.includes(email)).map(({ text }) => text);
  /** Returns the code in the latest link that was mailed to an address. */
  const codeFor = (email: string) =>
    vi.waitFor(() => {
      const [, code] = /\/authsvc\/email\/([\w-]+)/.exec(textsTo(email).at(-1) ?? '') ?? [];
      if (code === undefined) throw new Error('no mail yet');
      return code;
    }, patience);
  async function ask(client: Client, email = freshAddress()): Promise<{ email: string; code: string }> {
    const reply = await change(client, 'POST', '/email', { email });
    expect([reply.status, reply.body]).toEqual([202, { success: true, email_pending: email }]);
    return { email, code: await codeFor(email) };
  }
  async function confirm(code: string, client = app.client()) {
    return client.post('/authsvc/api/email', { code, _csrf: await client.csrf() });
  }
  const addressesOf = async (client: Client) => {
    const { email, email_pending: pending } = await accountOf(client);
    return [email, pending];
  };
  async function eventsOf({ id }: SeededUser) {
    const { kysely } = app.services.database;
    const query = kysely.selectFrom('audit_events').select(['event', 'actor_type', 'details']);
    const rows = await query.where('subject_id', '=', id).where('event', '=', 'user.updated').orderBy('id').execute();
    return rows.map(({ actor_type: by, details }) => [by, JSON.parse(details).fields]);
  }

  test('changes when its link is used, in any browser; opening the link changes nothing and signs no one in', async () => {
    const { user, former, client } = await seed();
    const { email, code } = await ask(client);
    const other = app.client();

    const before = await dumpDatabase(app);
    for (let i = 0; i < 3; i += 1) expect((await other.page(`/authsvc/email/${code}`)).text).toContain(email);
    expect(await dumpDatabase(app)).toEqual(before);
    expect(await addressesOf(client)).toEqual([former, email]);
    expectError(await app.client().post('/authsvc/api/email', { code }), 'CSRF_INVALID');
    const reply = await confirm(code, other);

    expect([reply.status, reply.body]).toEqual([200, { success: true, message: 'E-mail address confirmed' }]);
    expect((await other.get('/authsvc/api/account')).status).toBe(401);
    expect(await addressesOf(client)).toEqual([email, null]);
    await vi.waitFor(() => expect(textsTo(former)).toHaveLength(1), patience);
    expect(textsTo(former)[0]).toContain('e-mail address of your account');
    expectError(await confirm(code), 'LINK_INVALID');
    const asked = ['user', ['email_pending']];
    expect(await eventsOf(user)).toEqual([['system', ['email']], asked, ['anonymous', ['email']]]);
    expect(JSON.stringify(app.log())).not.toContain(code);
  });

  test('is confirmed by the form of the page, which then opens the account pages if the user is signed in', async () => {
    const { client } = await seed();
    const [first, second] = [await ask(client), await ask((await seed()).client)];
    const send = async (browser: Client, code: string) =>
      browser.request('POST', `/authsvc/email/${code}`, {
        raw: new URLSearchParams({ _csrf: await browser.csrf() }).toString(),
        type: 'application/x-www-form-urlencoded',
        headers: { accept: 'text/html' },
      });

    const [own, foreign] = [await send(client, first.code), await send(client, second.code)];

    expect([own.status, own.headers.location]).toEqual([303, '/authsvc/account?done=emailConfirmed']);
    expect((await client.page(String(own.headers.location))).text).toContain('Your new address is confirmed.');
    expect([foreign.status, foreign.headers.location]).toEqual([303, '/authsvc/email']);
    expect(await addressesOf(client)).toEqual([first.email, null]);
    expect((await app.client().page('/authsvc/email')).text).toContain('E-mail address confirmed');
    expect((await app.client().page(`/authsvc/email/${first.code}`)).status).toBe(404);
  });

  test('the link stops working after a newer request, a new password, another address, a deactivation, and after a day', async () => {
    const { user, client } = await seed();
    const former = await ask(client);
    const second = await ask(client);
    expectError(await confirm(former.code), 'LINK_INVALID');
    const { passwords, settings } = app.services;
    const wish = { user, password: 'another-horse-8', way: 'command' } as const;
    await changePassword({ ...app.change(), passwords, application: settings }, wish);
    expectError(await confirm(second.code), 'LINK_INVALID');

    const { user: bob, client: asBob } = await seed();
    const { code } = await ask(asBob);
    await changeUser(app.change(), bob.username, { email: parseEmail(freshAddress()) });
    expectError(await confirm(code), 'LINK_INVALID');
    const last = await ask(asBob);
    app.clock.advance(DAY_MS);
    expectError(await confirm(last.code), 'LINK_INVALID');
    app.clock.advance(-DAY_MS);
    await changeUser(app.change(), bob.username, { isActive: false });
    expectError(await confirm(last.code), 'LINK_INVALID');
    expectError(await confirm('unknown'), 'LINK_INVALID');
  });

  test('a mail is not sent if its link has ended', async () => {
    const { client } = await seed();
    const [lost, email] = [freshAddress(), freshAddress()];
    server.mode = 'refuse';
    await change(client, 'POST', '/email', { email: lost });
    const waiting = () => app.services.database.kysely.selectFrom('outbox').select('attempts').execute();
    await vi.waitFor(async () => expect(await waiting()).toEqual([{ attempts: 1 }]), patience);

    server.mode = 'take';
    await ask(client, email);

    await vi.waitFor(async () => expect(await waiting()).toEqual([]), patience);
    expect(textsTo(lost)).toEqual([]);
  });

  test('reset links that were mailed to the old address end, and others stay', async () => {
    const { user, client } = await seed();
    const { code } = await ask(client);
    const links = () =>
      app.services.database.kysely.selectFrom('welcome_links').select('sent_to').where('user_id', '=', user.id);
    await app.client().post('/authsvc/api/forgot', { username: user.username });
    await vi.waitFor(async () => expect(await links().execute()).toHaveLength(1), patience);
    const { settings, outbox, baseUrl } = app.services;
    const needs = { ...app.change(), settings, outbox, baseUrl: baseUrl() };
    await offerReset(needs, { user, hours: 1, removesFactor: false, isSent: false });

    await confirm(code);

    expect(await links().execute()).toEqual([{ sent_to: null }]);
  });

  test('only one of twenty simultaneous uses of a link succeeds', async () => {
    const { user, client } = await seed();
    const { code } = await ask(client);
    const browsers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const browser = app.client();
        return { browser, _csrf: await browser.csrf() };
      }),
    );

    const replies = await Promise.all(
      browsers.map(({ browser, _csrf }, at) =>
        browser.post('/authsvc/api/email', { code, _csrf }, { address: `198.51.100.${at}` }),
      ),
    );

    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 404)]);
    expect(await eventsOf(user)).toHaveLength(3);
  });

  test('can be removed, and so can an unconfirmed one', async () => {
    const { user, former, client } = await seed();
    const { code } = await ask(client);

    expect((await change(client, 'DELETE', '/email')).body).toEqual({ success: true });

    expect(await addressesOf(client)).toEqual([null, null]);
    expectError(await confirm(code), 'LINK_INVALID');
    await vi.waitFor(() => expect(textsTo(former)).toHaveLength(1), patience);
    await ask(client);
    await change(client, 'DELETE', '/email');
    await change(client, 'DELETE', '/email');
    const fields = (await eventsOf(user)).map(([, names]) => names.join());
    expect(fields).toEqual(['email', 'email_pending', 'email', 'email_pending', 'email_pending']);
    const { events } = (await client.get('/authsvc/api/account/activity')).body;
    expect(JSON.stringify(events)).toContain('Unconfirmed e-mail address changed');
  });

  test.each([
    '',
    'a',
    'a@b@c',
    'a@example.test\r\nBcc: x@example.test',
    `${'x'.repeat(300)}@example.test`,
    1,
    null,
    undefined,
  ])('%j is refused', async (email) => {
    const client = await app.signIn(await app.seedUser());

    expectError(await change(client, 'POST', '/email', { email }), 'EMAIL_INVALID', 'email');
    expectError(await client.post('/authsvc/api/account/email', { email }), 'EMAIL_INVALID', 'email');
    expect(await addressesOf(client)).toEqual([null, null]);
  });

  test('can be changed only with a session, a CSRF token and a confirmation', async () => {
    const client = await unconfirmed(app, await app.seedUser());
    const email = freshAddress();

    expectError(await app.client().post('/authsvc/api/account/email', { email }), 'NOT_SIGNED_IN');
    expectError(await client.post('/authsvc/api/account/email', { email }), 'CSRF_INVALID');
    for (const method of ['POST', 'DELETE'] as const)
      expect((await change(client, method, '/email', { email })).body.code).toBe('CONFIRMATION_REQUIRED');
    expect(await addressesOf(client)).toEqual([null, null]);
  });
});

eachDatabase("the user's own e-mail address without a mail server", (database) => {
  const app = sharedApp({ database });

  test('cannot be changed', async () => {
    const client = await app().signIn(await app().seedUser());

    for (const method of ['POST', 'DELETE'] as const)
      expectError(await change(client, method, '/email', { email: 'a@box.test' }), 'NOT_FOUND');
    expectError(await app().client().post('/authsvc/api/account/email', {}), 'NOT_SIGNED_IN');
  });
});
