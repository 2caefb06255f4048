import { expect, test } from 'vitest';
import { auditEventNames } from '../../src/events/event-types.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { activityText } from '../../src/my-account/activity-texts.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { offerReset } from '../../src/welcome/offer-link.ts';
import type { Client } from '../support/client.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { change } from '../support/my-account.ts';
import { authorize, personOf, registerRelyingParty } from '../support/relying-party.ts';
import { startApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { expectError, sharedApp } from './support.ts';

async function activityOf(client: Client, query = ''): Promise<Record<string, unknown>[]> {
  const { events } = (await client.get(`/authsvc/api/account/activity${query}`)).body;
  return Array.isArray(events) ? events : [];
}

/** Events that are about no user, but about things that an operator manages. */
const ABOUT_NO_USER = [
  'sessions.ended_all',
  'profile.changed',
  'application.changed',
  'user.removed',
  'keys.rotated',
  'webhook.changed',
];

test('every event about a user has a text in both languages', () => {
  const details = { kind: 'totp', change: 'added', fields: [], sessions: 1, way: 'self' };
  for (const event of auditEventNames.filter((name) => !ABOUT_NO_USER.includes(name)))
    for (const language of ['en', 'de'] as const)
      expect([event, activityText(language, { event, details }, String)]).toEqual([
        event,
        expect.not.stringContaining(event),
      ]);
});

eachDatabase("the activity of the user's own account", (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });

  test('is listed in words, newest first, with the actor', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);
    await app().signIn(await app().seedUser());
    await change(client, 'PATCH', '', { full_name: 'Ada' });
    await changeUser(app().change(), ada.username, { fullName: 'Ada L.' });

    const events = await activityOf(client);

    expect(events.map(({ event, by, text }) => [event, by, text])).toEqual([
      ['user.updated', 'system', 'Account details changed'],
      ['user.updated', 'you', 'Account details changed'],
      ['user.signed_in', 'you', 'Signed in (password)'],
      ['user.created', 'system', 'Account created'],
    ]);
    const headers = { 'accept-language': 'de' };
    const { events: german } = (await client.get('/authsvc/api/account/activity?limit=1', { headers })).body;
    expect(german).toEqual([expect.objectContaining({ text: 'Angaben zum Konto geändert' })]);
  });

  test('says that a sign-in used a recovery code, in both languages', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, carol.recoveryCodes[0]);

    const texts = await Promise.all(
      ['en', 'de'].map(async (language) => {
        const headers = { 'accept-language': language };
        const { events } = (await client.get('/authsvc/api/account/activity?limit=1', { headers })).body;
        return Object(events)[0].text;
      }),
    );
    expect(texts).toEqual(['Signed in (password, recovery code)', 'Angemeldet (Passwort, Wiederherstellungscode)']);
  });

  test('names the user as the one who set a password with a link', async () => {
    const ada = await app().seedUser();
    const { settings, outbox } = app().services;
    const needs = { ...app().change(), settings, outbox, baseUrl: '' };
    const { link } = await offerReset(needs, { user: ada, hours: 1, removesFactor: false, isSent: false });
    const client = app().client();
    await client.post('/authsvc/api/welcome', { code: link?.split('/').at(-1), new_password: 'another-horse-8' });

    const events = await activityOf(client);

    expect(events).toContainEqual(expect.objectContaining({ text: 'Password set with a link', by: 'you' }));
    expect(events).toContainEqual(expect.objectContaining({ event: 'link.issued', by: 'system' }));
  });

  test('says on the page that a refused sign-in was by a visitor who was not signed in, and not by the service', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);
    await app()
      .client()
      .login({ ...ada, password: 'wrong-horse-1' });
    await app().services.notes.finish();

    const { text } = await client.page('/authsvc/account/activity');

    expect(text).toMatch(/Sign-in refused.*?Not signed in.*?Account created.*?The service/s);
  });

  test('is shown in pages of 25 events, with a link to older ones', async () => {
    const client = await app().signIn(await app().seedUser());
    for (let at = 0; at < 27; at += 1) await change(client, 'PATCH', '', { full_name: `Ada ${at}` });
    const eventsOf = (text: string) => text.match(/Account details changed/g)?.length;

    const { text: newest } = await client.page('/authsvc/account/activity');
    const [, older = ''] = /href="([^"]*activity\?before=[^"]*)"/.exec(newest) ?? [];
    const { text: oldest } = await client.page(older);

    expect([eventsOf(newest), eventsOf(oldest)]).toEqual([25, 2]);
    expect(oldest).not.toContain('?before=');
  });

  test.for(['session', 'token'] as const)(
    'shows neither address nor browser of a superadmin who changed the account with a %s',
    async (way) => {
      const ada = await app().seedUser();
      const client = await app().signIn(ada);
      const admin = await app().signIn(await app().seedUser({ role: 'superadmin' }));
      const { body } = await admin.get(`/authsvc/api/admin/users/${ada.id}`);
      const { version } = Object(body.user);
      const { token } = await createToken(admin, { scope: 'admin' });
      const [by, headers] =
        way === 'session'
          ? [admin, { 'x-csrf-token': await admin.csrf() }]
          : [app().client(), { authorization: `Bearer ${token}` }];
      const json = { full_name: 'Ada L.', version };
      expect((await by.request('PATCH', `/authsvc/api/admin/users/${ada.id}`, { json, headers })).status).toBe(200);

      const [changed, signedIn] = await activityOf(client);

      expect(changed).toMatchObject({
        event: 'user.updated',
        by: 'operator',
        address: null,
        browser: null,
        system: null,
      });
      expect(signedIn).toMatchObject({ event: 'user.signed_in', by: 'you', address: expect.any(String) });
    },
  );

  test('names an application that got access, in both languages', async () => {
    const rp = await registerRelyingParty(app(), { name: 'Garden Wiki' });
    const { browser } = await personOf(app(), rp);
    await authorize(browser, rp);

    const texts = await Promise.all(
      ['en', 'de'].map(async (language) => {
        const headers = { 'accept-language': language };
        const { events } = (await browser.get('/authsvc/api/account/activity?limit=1', { headers })).body;
        return Object(events)[0].text;
      }),
    );

    expect(texts).toEqual(['Access given to Garden Wiki', 'Zugriff für Garden Wiki erlaubt']);
  });

  test('is returned page by page, and an invalid limit or cursor is refused', async () => {
    const client = await app().signIn(await app().seedUser());
    for (const full_name of ['A', 'B', 'C']) await change(client, 'PATCH', '', { full_name });
    const all = await activityOf(client);

    const read: unknown[] = [];
    let next: unknown;
    do {
      const query = next === undefined ? '?limit=2' : `?limit=2&before=${next}`;
      const { body } = await client.get(`/authsvc/api/account/activity${query}`);
      read.push(...(Array.isArray(body.events) ? body.events : []));
      next = body.next ?? undefined;
    } while (next !== undefined);

    expect(read).toEqual(all);
    for (const [field, query] of [
      ['limit', 'limit=0'],
      ['limit', 'limit=101'],
      ['limit', 'limit=x'],
      ['limit', 'limit=1&limit=2'],
      ['before', 'before=%27'],
      ['before', 'before=1'],
    ] as const)
      expectError(await client.get(`/authsvc/api/account/activity?${query}`), 'FIELD_INVALID', field);
  });

  test('contains no event that is older than 90 days', async (t) => {
    const own = await startApp(t, { database, settings: { COOKIE_EXPIRE_TIME: '200' } });
    const client = await own.signIn(await own.seedUser());
    own.clock.advance(91 * DAY_MS);

    expect(await activityOf(client)).toEqual([]);
  });

  test('includes the trusted browsers and marks this one, and the trust in each can be ended by its ref', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret, -1), { trust_device: true });
    const list = async (of: Client) => (await of.get('/authsvc/api/account/trusted-devices')).body.trusted_devices;
    const stranger = await app().signIn(await app().seedUser());

    const [item] = Object.values(Object(await list(client)));
    expect(item).toEqual({
      ref: expect.stringMatching(/^[0-9a-f]{24}$/),
      browser: null,
      system: null,
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      current: true,
    });
    const path = `/trusted-devices/${Object(item).ref}`;
    expectError(await change(stranger, 'DELETE', path), 'REF_UNKNOWN');
    expectError(await change(client, 'DELETE', '/trusted-devices/%00'), 'REF_UNKNOWN');
    expect((await change(client, 'DELETE', path)).body).toEqual({ success: true, ended: 1 });

    expect(await list(client)).toEqual([]);
    expect((await client.clone().login(carol)).body.two_factor_required).toBe(true);
    expect((await change(client, 'DELETE', '/trusted-devices')).body).toEqual({ success: true, ended: 0 });
  });
});
