import { expect, test, vi } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { insertAuditEvents } from '../../src/events/queries.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { setPasswordHash } from '../../src/users/queries.ts';
import { addWebhook } from '../../src/webhooks/add-webhook.ts';
import { disableWebhook, noteFailure } from '../../src/webhooks/queries.ts';
import type { Client } from '../support/client.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { sharedApp } from './support.ts';

const paths = ['', '/users', '/applications', '/profiles', '/tokens', '/sessions', '/webhooks', '/audit'];

/** Returns the URLs of the links on a page, in their order. */
const linksOf = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]* href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

eachDatabase('the pages of the console', (database) => {
  const app = sharedApp({
    database,
    settings: { RATE_LIMITS: 'off', env: 'dev', WEBHOOK_PRIVATE_NETWORKS: 'on' },
  });
  let admin: Client | undefined;
  const show = async (path: string) => {
    admin ??= await app().signIn(await app().seedUser({ username: `root-${database}`, role: 'superadmin' }));
    return admin.page(`/authsvc/admin${path}`);
  };

  test('are only for browser sessions of superadmins: other users see no data, and visitors come back after signing in', async () => {
    const client = await app().signIn(await app().seedUser());
    const { token } = await createToken(client);
    for (const path of paths) {
      expect((await show(path)).status).toBe(200);
      const refused = await client.page(`/authsvc/admin${path}`);
      expect([refused.status, refused.text.includes(`root-${database}`)]).toEqual([403, false]);
      const stranger = await app().client().page(`/authsvc/admin${path}?q=a&sort=-username`);
      expect(stranger.headers.location).toBe(
        `/authsvc/login?redirect=${encodeURIComponent(`/authsvc/admin${path}?q=a&sort=-username`)}`,
      );
      const program = await app()
        .client()
        .request('GET', `/authsvc/admin${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect(program.status).toBe(401);
    }
  });

  test('search, filter, sort and page through users by links and a form', async () => {
    const word = `page${database}`;
    for (const name of ['a', 'b', 'c']) await app().seedUser({ username: `${word}-${name}` });
    const names = (html: string) => [...html.matchAll(new RegExp(`>(${word}-[a-z])<`, 'g'))].map(([, name]) => name);

    const first = await show(`/users?q=${word}&limit=2&role=normaluser&role=superadmin`);
    const next = linksOf(first.text).find((href) => href.includes('after=')) ?? '';
    const second = await show(next.replace('/authsvc/admin', ''));

    expect([names(first.text), names(second.text)]).toEqual([[`${word}-a`, `${word}-b`], [`${word}-c`]]);
    expect(first.text).toContain(`name="q" type="search" value="${word}"`);
    expect(first.text).toContain('<input type="hidden" name="role" value="superadmin">');
    const descending = linksOf(second.text).find((href) => href.includes('sort=-username')) ?? '';
    const sorted = await show(descending.replace('/authsvc/admin', ''));
    expect(names(sorted.text)).toEqual([`${word}-c`, `${word}-b`]);
    expect(sorted.text).toContain('aria-sort="descending"');
    const file = linksOf(sorted.text).find((href) => href.includes('users.csv')) ?? '';
    expect((await admin?.get(file))?.text.split('\r\n')).toHaveLength(5);
    expect((await show(`/users?q=${word}&is_active=false`)).text).toContain('Nothing matches these filters');
  });

  test('link from a row to its user and its application, and from there to related data', async () => {
    const user = await app().seedUser({ fullName: 'Ada <b>' });
    const client = await app().signIn(user);
    await createToken(client, { name: 'ci' });
    const page = await show(`/users/${user.id}`);
    expect(page.text).toContain('Ada &lt;b&gt;');

    for (const path of ['sessions', 'tokens', 'audit']) {
      const href = linksOf(page.text).find((link) => link.startsWith(`/authsvc/admin/${path}?`)) ?? '';
      const list = await show(href.replace('/authsvc/admin', ''));
      expect(linksOf(list.text)).toContain(`/authsvc/admin/users/${user.id}`);
    }
  });

  test('link from an application to its users, including superadmins, who may use every application', async () => {
    const { settings } = app().services;
    await addApplication(app().change(), settings, { key: 'drive', name: 'Drive', roles: ['normaluser'] });
    const apps = ['authsvc', 'drive'];
    const user = await app().seedUser({ apps });
    const inactive = await app().seedUser({ apps, isInactive: true });
    const superadmin = await app().seedUser({ role: 'superadmin' });

    const links = linksOf((await show('/applications/drive')).text);
    const [users = '', superadmins = ''] = links.filter((href) => href.startsWith('/authsvc/admin/users?'));
    const linkedFrom = async (href: string) => linksOf((await show(href.replace('/authsvc/admin', ''))).text);
    const pageOf = ({ id }: { id: number }) => `/authsvc/admin/users/${id}`;

    expect(await linkedFrom(users)).toContain(pageOf(user));
    expect(await linkedFrom(users)).not.toContain(pageOf(inactive));
    expect(await linkedFrom(superadmins)).toContain(pageOf(superadmin));
    expect(await linkedFrom(superadmins)).not.toContain(pageOf(user));
  });

  test('offer to end the sessions of active users only', async () => {
    const pageFor = async (isInactive: boolean) =>
      (await show(`/users/${(await app().seedUser({ isInactive })).id}`)).text;
    expect(await pageFor(false)).toContain('/end-sessions"');
    expect(await pageFor(true)).not.toContain('/end-sessions"');
  });

  test('show how often people signed in to an application on each day, without counting consents', async () => {
    const { services, clock } = app();
    const key = `wiki-${database}`;
    await addApplication(app().change(), services.settings, { key, name: 'Wiki' });
    const event = (fields: string[], change = 'given', application = key) => ({
      at: clock.now(),
      event: 'grant.changed',
      actor_type: 'user',
      actor_id: null,
      actor_name: null,
      subject_id: null,
      subject_name: null,
      session_ref: null,
      address: null,
      user_agent: null,
      application,
      request_id: null,
      details: JSON.stringify({ id: 'x', change, fields }),
    });
    const others = [event(['consent']), event(['session'], 'withdrawn'), event(['session'], 'given', 'another')];
    await insertAuditEvents.run(services.database, { events: [event(['session']), event(['device']), ...others] });

    const { text } = await show(`/applications/${key}`);

    const format = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });
    const spelled = format.format(clock.now());
    expect(text).toContain(`2 sign-ins with OpenID Connect in the last 30 days, all on ${spelled}.`);
    expect((await show('')).text).not.toContain(key);
  });

  test.each([
    ['/users?sort=password_hash', 400],
    ['/users?after=garbage', 400],
    ['/users/999999999', 404],
    ['/users/abc', 404],
    ['/applications/unknown', 404],
    ['/webhooks/wh_unknown', 404],
    ['/webhooks/wh_unknown/deliveries', 404],
  ])('reply to %s with an error page', async (path, status) => {
    const reply = await show(path);
    expect([reply.status, reply.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8']);
  });

  test.each([
    ['/audit?since=1.11.2026', 'since', 'Enter a day, such as 2026-01-31.'],
    ['/sessions?user_id=ada', 'user_id', 'Enter the number that the page of the user shows.'],
    ['/tokens?scope=all&user=ada', 'scope', 'There is no such value.'],
    ['/webhooks?is_failing=maybe', 'is_failing', 'There is no such value.'],
  ])('show which filter of %s was refused', async (path, field, message) => {
    const { status, text } = await show(path);
    expect([status, text.match(/<p class="field-error" id="[^"]+">/g)]).toEqual([
      400,
      [`<p class="field-error" id="filter-${field}-error">`],
    ]);
    expect(text).toContain(`<span data-whole>${message}</span>`);
    expect((await admin?.get(`/authsvc/admin${path}`))?.body).toMatchObject({ code: 'FIELD_INVALID', field });
  });

  test('list the sessions and tokens of a user by name, and describe browsers in words', async () => {
    const [ada, other] = [await app().seedUser(), await app().seedUser()];
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';
    for (const user of [ada, other]) {
      const client = app().client();
      const { username, password } = user;
      const headers = { 'user-agent': agent };
      await client.request('POST', '/authsvc/api/login', { json: { username, password }, headers });
      await createToken(client, { scope: 'write' });
    }
    const usersOf = async (path: string) =>
      new Set(linksOf((await show(path)).text).filter((href) => /users\/\d+$/.test(href)));

    for (const list of ['sessions', 'tokens']) {
      expect(await usersOf(`/${list}?user=${ada.username.toUpperCase()}`)).toEqual(
        new Set([`/authsvc/admin/users/${ada.id}`]),
      );
      expect(await usersOf(`/${list}?user=${ada.username}&user_id=${ada.id}`)).toHaveLength(1);
      expect(await usersOf(`/${list}?user=${ada.username}&user_id=${other.id}`)).toHaveLength(0);
      expect(await usersOf(`/${list}?user=no-such-user`)).toHaveLength(0);
    }
    const { text } = await show(`/sessions?user=${ada.username}`);
    expect(text).toContain('>Firefox 128 on Windows<');
    expect(text).not.toContain('Gecko');
    expect((await show(`/tokens?user=${ada.username}`)).text).toContain('>Read and write</bdi>');
  });

  test('distinguish an operator at the command line from a user with the same name', async () => {
    const { username } = await app().seedUser();
    const actor = { type: 'operator', name: 'root' } as const;
    await changeUser({ ...app().change(), actor }, username, { fullName: 'Ada' });
    expect((await show(`/audit?user=${username}&event=user.updated`)).text).toContain('>root, at the command line<');
  });

  test('show the failing webhooks, and link to these from the overview', async () => {
    const { dataSealer, settings, database: handle } = app().services;
    const { clock } = app();
    const add = async (name: string) => {
      const fields = { url: `http://${name}.invalid/`, events: ['user.created'] };
      return (await addWebhook({ ...app().change(), dataSealer }, settings, fields)).webhook;
    };
    const [failing, fine] = [await add('failing'), await add('fine')];
    await noteFailure.run(handle, { id: failing.id, now: clock.now() });
    clock.advance(20_000);

    const overview = await show('');
    const href = linksOf(overview.text).find((link) => link.includes('/webhooks?')) ?? '';
    const keysOf = (html: string) => [failing.key, fine.key].filter((key) => html.includes(key));
    expect(keysOf((await show(href.replace('/authsvc/admin', ''))).text)).toEqual([failing.key]);
    expect(keysOf((await show('/webhooks?is_failing=false')).text)).toEqual([fine.key]);
  });

  test('never show a time in the past for the next attempt of a webhook, and show none for a disabled webhook', async (t) => {
    const { dataSealer, settings, database: handle } = app().services;
    const { clock } = app();
    const receiver = await startReceiver();
    t.onTestFinished(receiver.close);
    // The receiver never answers, so the attempt goes on and the message keeps the time at which it was due.
    receiver.answer = () => undefined;
    const fields = { url: receiver.url, events: ['user.created'] };
    const { webhook } = await addWebhook({ ...app().change(), dataSealer }, settings, fields);
    await app().seedUser();
    await vi.waitFor(() => expect(receiver.got).toHaveLength(1), { timeout: 60_000 });
    clock.advance(1000);
    const path = `/webhooks/${webhook.key}/deliveries`;

    expect((await show(path)).text).toContain('>When its turn comes<');
    await disableWebhook.run(handle, { id: webhook.id, now: clock.now() });
    expect((await show(path)).text).not.toContain('>When its turn comes<');
  });

  test("show the reply of a webhook's receiver to a message that it refuses", async (t) => {
    const { dataSealer, settings } = app().services;
    const receiver = await startReceiver();
    t.onTestFinished(receiver.close);
    receiver.answer = (_request, response) => response.writeHead(500).end(`<b>no\nroom</b> ${'x'.repeat(200)}`);
    const fields = { url: receiver.url, events: ['user.created'] };
    const { webhook } = await addWebhook({ ...app().change(), dataSealer }, settings, fields);
    await app().seedUser();

    await vi.waitFor(
      async () => {
        const { text } = await show(`/webhooks/${webhook.key}/deliveries`);
        expect(text).toContain(`>Status 500: &lt;b&gt;no room&lt;/b&gt; ${'x'.repeat(105)}…<`);
      },
      { timeout: 60_000 },
    );
  });

  test('warn if an invited person could not sign in, and ask before a superadmin gives up the role', async () => {
    const without = await app().seedUser({ apps: ['wiki'] });
    const { id } = await app().seedUser();
    const own = await app().user(`root-${database}`);
    const warning = 'the link does not work';
    await setPasswordHash.run(app().services.database, { id: without.id, hash: '' });

    expect((await show(`/users/${without.id}`)).text).toContain(warning);
    expect((await show(`/users/${id}`)).text).not.toContain(warning);
    expect((await show(`/users/${own?.id}`)).text).toContain('data-question="Stop being a superadmin?"');
    expect((await show(`/users/${id}`)).text).not.toContain('Stop being a superadmin?');
  });

  test('ask for APP_NAME in the applications of a user, also if the service shows another name', async (t) => {
    const own = await startApp(t, { database, settings: { BRAND_NAME: 'Harbour Portal' } });
    const root = await own.signIn(await own.seedUser({ role: 'superadmin' }));
    const { id } = await own.seedUser();
    await setPasswordHash.run(own.services.database, { id, hash: '' });

    const { text: list } = await root.page('/authsvc/admin/users');
    const { text: page } = await root.page(`/authsvc/admin/users/${id}`);

    expect(list).toMatch(/<textarea[^>]* id="add-apps"[^>]*>authsvc</);
    expect(list).toContain('Without authsvc in the list');
    expect(page).toContain('Users without authsvc cannot sign in here');
    expect(page).not.toContain('the link does not work');
  });

  test('link from a webhook to its deliveries, page by page, and back', async () => {
    const { dataSealer, settings } = app().services;
    const fields = { url: 'http://hooks.invalid/?a=1&b=<b>', events: ['user.created'] };
    const { webhook } = await addWebhook({ ...app().change(), dataSealer }, settings, fields);
    for (let count = 0; count < 3; count += 1) await app().seedUser();

    const list = await show('/webhooks?is_active=true');
    const one = linksOf(list.text).find((href) => href.endsWith(webhook.key)) ?? '';
    const page = await show(one.replace('/authsvc/admin', ''));
    const deliveries = linksOf(page.text).find((href) => href.endsWith('/deliveries')) ?? '';
    const first = await show(`${deliveries.replace('/authsvc/admin', '')}?limit=2`);
    const next = linksOf(first.text).find((href) => href.includes('after=')) ?? '';
    const second = await show(next.replace('/authsvc/admin', ''));

    expect(list.text).toContain('http://hooks.invalid/?a=1&amp;b=&lt;b&gt;');
    const messages = (html: string) => html.match(/msg_[0-9a-f]{32}/g) ?? [];
    const shown = [...messages(first.text), ...messages(second.text)];
    expect([new Set(messages(first.text)).size, new Set(shown).size]).toEqual([2, 3]);
    expect(linksOf(second.text)).toContain(one);
    expect(second.text).toContain(`action="${deliveries}"`);
    expect((await show(`${deliveries.replace('/authsvc/admin', '')}?status=delivered`)).text).not.toContain('msg_');
  });

  test('show the sign-ins of 30 days as a chart with a description in words', async () => {
    const { text } = await show('');
    expect(text).toMatch(/<svg [^>]*role="img" aria-label="\d+ sign-ins? in the last 30 days/);
    expect(text.match(/<rect /g)).toHaveLength(30);
  });
});
