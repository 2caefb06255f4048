import { expect, test } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { randomHex } from '../../src/lib/random.ts';
import { offerReset } from '../../src/welcome/offer-link.ts';
import type { Client, Reply } from '../support/client.ts';
import { requestToken, seedProfile, verify } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { formOf, submit } from '../support/forms.ts';
import { unconfirmed } from '../support/my-account.ts';
import { startApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, wrongCode } from '../support/totp.ts';
import { sharedApp } from './support.ts';

const settings = {
  AUTHSVC_TWO_FA_ENABLE: 'true',
  CODEHOST_LOGIN_ENABLED: 'true',
  CODEHOST_APP_CLIENT_ID: 'id',
  CODEHOST_APP_CLIENT_SECRET: 'secret',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'authsvc@example.test',
};

/** The fields of the login form. `_csrf` replaces the token of the page. */
interface Typed {
  username: string;
  password: string;
  _csrf?: string;
}

const OUT_OF_DATE = '<p>This page is out of date</p>';
const twoProofs = { password: 'right-horse-7', token: '123456' };

/** Each form of the account pages, with values that it refuses and values that it accepts. */
const accountForms: [path: string, wrong: Record<string, string>, right: Record<string, string>][] = [
  ['', { full_name: 'x'.repeat(256) }, { full_name: 'Ada' }],
  ['/email', { email: 'nobody' }, { email: 'ada@example.test' }],
  ['/email/remove', twoProofs, {}],
  ['/password', { new_password: 'short' }, { current_password: 'right-horse-7', new_password: 'another-horse-8' }],
  ['/two-step', twoProofs, {}],
  ['/two-step/verify', { token: '' }, { token: '123456' }],
  ['/two-step/recovery-codes', twoProofs, {}],
  ['/two-step/off', twoProofs, {}],
  ['/passkeys/rename', { name: '' }, { name: 'Key' }],
  ['/passkeys/remove', twoProofs, {}],
  ['/connections/link', twoProofs, { provider: 'codehost' }],
  ['/connections/unlink', twoProofs, { provider: 'codehost' }],
  ['/tokens', { name: '' }, { name: 'ci', scope: 'read-only' }],
  ['/tokens/revoke', { id: 'x' }, { id: '1' }],
];

const confirmed = [
  '/email',
  '/email/remove',
  '/two-step',
  '/two-step/recovery-codes',
  '/two-step/off',
  '/passkeys/rename',
  '/passkeys/remove',
  '/connections/link',
  '/connections/unlink',
];

eachDatabase('forms without scripts', (database) => {
  const app = sharedApp({ database, settings });
  const send = (client: Client, action: string, fields: Record<string, string>): Promise<Reply> =>
    submit(client, { action, fields });
  /** Submits the form of the login page, which posts to its own URL. */
  async function signIn(client: Client, { username, password, _csrf }: Typed, path = '/authsvc/login') {
    const form = formOf((await client.page(path)).text, '');
    return submit(client, { ...form, action: path }, { username, password, ...(_csrf === undefined ? {} : { _csrf }) });
  }

  test.each(accountForms)(
    '/authsvc/account%s checks first the session, then the input, then the CSRF token',
    async (path, wrong, right) => {
      const action = `/authsvc/account${path}`;
      const client = await app().signIn(await app().seedUser());

      const [stranger, badInput, badToken] = [
        await send(app().client(), action, wrong),
        await send(client, action, { ...wrong, _csrf: 'x' }),
        await send(client, action, { ...right, _csrf: 'x' }),
      ];

      expect([stranger.status, stranger.headers.location]).toEqual([303, '/authsvc/login']);
      expect([badInput.status, badInput.text.includes(OUT_OF_DATE)]).toEqual([400, false]);
      expect([badToken.status, badToken.text.includes(OUT_OF_DATE)]).toEqual([403, true]);
      for (const { text } of [badInput, badToken]) expect(text).toContain('<h1>');
    },
  );

  test.each(confirmed)('/authsvc/account%s checks the confirmation after the CSRF token', async (path) => {
    const action = `/authsvc/account${path}`;
    const [, , right = {}] = accountForms.find(([one]) => one === path) ?? [];
    const client = await unconfirmed(app(), await app().seedUser());

    const badToken = await send(client, action, { ...right, _csrf: 'x' });
    const asked = await send(client, action, { ...right, _csrf: await client.csrf() });

    expect([badToken.status, badToken.text.includes(OUT_OF_DATE)]).toEqual([403, true]);
    expect([asked.status, asked.text.includes(OUT_OF_DATE)]).toEqual([403, false]);
    expect(formOf(asked.text, action).fields).toMatchObject(right);
  });

  test('a wrong password or code in a form is recorded in the audit log', async () => {
    const user = await app().seedUser();
    const client = await unconfirmed(app(), user);
    const fields = { email: 'ada@example.test', password: 'wrong-horse-1', _csrf: await client.csrf() };

    const refused = await send(client, '/authsvc/account/email', fields);

    expect(refused.status).toBe(403);
    const line = app()
      .log()
      .findLast(({ audit }) => audit === 'confirmation.refused');
    expect(line).toMatchObject({ details: { reason: 'CONFIRMATION_FAILED', method: 'password' } });
  });

  test('the login form signs in and redirects; if it is refused, the page keeps the username and the audit log has an event', async () => {
    const user = await app().seedUser();
    const path = '/authsvc/login?redirect=%2Freports%3Fa%3D1';
    const client = app().client();
    const { username, password } = user;

    const wrong = await signIn(client, { username, password: 'wrong-horse-1' }, path);
    const empty = await signIn(client, { username: ' ', password, _csrf: 'x' }, path);
    const foreign = await signIn(client, { username, password, _csrf: 'x' }, path);
    expect([wrong.status, empty.status, foreign.status]).toEqual([401, 400, 403]);
    expect(wrong.text).toContain('id="password-error">');
    expect(wrong.text).toContain(`value="${username}"`);
    expect(wrong.text).not.toContain('wrong-horse-1');
    expect(empty.text).toContain('id="username-error">');
    expect(foreign.text).toContain(OUT_OF_DATE);
    const line = app()
      .log()
      .findLast(({ audit }) => audit === 'sign_in.refused');
    expect(line).toMatchObject({ details: { reason: 'PASSWORD_INCORRECT', method: 'password' } });
    const done = await signIn(client, { username, password }, path);

    expect([done.status, done.headers.location]).toEqual([303, '/reports?a=1']);
    expect(await client.isSignedIn()).toBe(true);
  });

  test('a sign-in whose destination has another origin shows a page that sends the browser to that destination', async () => {
    const key = `app-${randomHex(4)}`;
    const url = `https://${key}.example.test`;
    await addApplication(app().change(), app().services.settings, { key, name: key, urls: [url] });
    const client = app().client();
    const user = await app().seedUser();

    const done = await signIn(client, user, `/authsvc/login?redirect=${encodeURIComponent(`${url}/a?b=1`)}`);
    const onward = await client.page(String(done.headers.location));
    const stranger = await app().client().page(String(done.headers.location));

    expect([done.status, onward.status, onward.headers.refresh]).toEqual([303, 200, `0;url=${url}/a?b=1`]);
    expect(onward.text).toContain(`href="${url}/a?b=1"`);
    expect(stranger.headers.refresh).toBeUndefined();
  });

  test('a code completes the sign-in; a wrong code is refused below its field, and the fifth wrong code ends the sign-in', async () => {
    const user = await seedSecondFactorUser(app());
    const client = app().client();
    const first = await signIn(client, user, '/authsvc/login?redirect=%2Freports');
    expect([first.status, first.headers.location]).toEqual([303, '/authsvc/2fa']);
    const formNow = async () => {
      const { text } = await client.page('/authsvc/2fa');
      return formOf(text, /action="(\/authsvc\/2fa[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '');
    };
    const form = await formNow();

    expect((await submit(client, form, { token: '', _csrf: 'x' })).status).toBe(400);
    expect((await submit(client, form, { token: ' ', _csrf: 'x' })).status).toBe(400);
    expect((await submit(client, form, { token: 'what?', _csrf: 'x' })).status).toBe(400);
    expect((await submit(client, form, { token: '123456', _csrf: 'x' })).status).toBe(403);
    const wrong = await submit(client, form, { token: wrongCode(app(), user.secret) });
    expect([wrong.status, wrong.text.includes('id="token-error">')]).toEqual([401, true]);
    const token = codeOf(app(), user.secret).replace(/^.../, '$& ');
    const done = await submit(client, await formNow(), { token, trust_device: 'true' });
    expect([done.status, done.headers.location]).toEqual([303, '/reports']);
    expect(client.jar.has('trusted_device')).toBe(true);

    const other = app().client();
    await signIn(other, user, '/authsvc/login?redirect=%2Freports');
    const { text } = await other.page('/authsvc/2fa?recovery=1');
    expect(text).toContain('inputmode="text"');
    const last = formOf(text, /action="(\/authsvc\/2fa[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '');
    let reply = await submit(other, last, { token: 'AAAAA-AAAAA' });
    for (let guess = 0; guess < 4; guess += 1) reply = await submit(other, last, { token: 'AAAAA-AAAAA' });
    expect([reply.status, reply.headers.location]).toEqual([303, '/authsvc/login?redirect=%2Freports']);
  });

  test('an account switch checks the session id before the CSRF token, and then goes to the destination', async () => {
    const [ada, bea] = [await app().seedUser(), await app().seedUser()];
    const client = await app().signIn(ada);
    await client.login(bea);
    const { accounts } = (await client.get('/authsvc/api/account-sessions')).body;
    const [other] = Array.isArray(accounts) ? accounts.filter(({ is_current: isCurrent }) => !isCurrent) : [];
    const form = formOf((await client.page('/authsvc/accounts?redirect=%2Freports')).text, '/authsvc/accounts');

    expect((await submit(client, form, { session_id: 'x', _csrf: 'x' })).status).toBe(400);
    const foreign = await submit(client, form, { session_id: String(other.session_id), _csrf: 'x' });
    expect([foreign.status, foreign.text.includes(OUT_OF_DATE)]).toEqual([403, true]);
    const done = await submit(client, form, { session_id: String(other.session_id) });

    expect([done.status, done.headers.location]).toEqual([303, '/reports']);
    expect((await client.get('/authsvc/api/account')).body.account).toMatchObject({ username: ada.username });
  });

  test('the form that approves a program works once, and checks the decision before the CSRF token', async () => {
    const { key } = await seedProfile(app());
    const codes = await requestToken(app().client(), key);
    const client = await app().signIn(await app().seedUser());
    const path = `/authsvc/cli/device/${codes.userCode}`;
    const form = formOf((await client.page(path)).text, path);

    expect((await submit(client, form, { action: 'perhaps', _csrf: 'x' })).status).toBe(400);
    const foreign = await submit(client, form, { action: 'approve', _csrf: 'x' });
    expect([foreign.status, foreign.text.includes(OUT_OF_DATE)]).toEqual([403, true]);
    const done = await submit(client, form, { action: 'approve' });

    expect([done.status, done.headers.location]).toEqual([303, path]);
    expect((await client.page(path)).text).toContain('This request was approved');
    expect((await submit(client, form, { action: 'deny' })).status).toBe(409);
    const unknown = await submit(client, { ...form, action: '/authsvc/cli/device/ZZZZ-ZZZZ' }, { action: 'deny' });
    expect(unknown.status).toBe(404);
  });

  test('the form for a forgotten password and the form of its link check the input before the CSRF token', async () => {
    const user = await app().seedUser();
    const { services } = app();
    const needs = { ...services, ...app().change(), baseUrl: services.baseUrl() };
    const { link } = await offerReset(needs, { user, hours: 2, removesFactor: false, isSent: false });
    const path = `/authsvc/welcome/${link?.split('/').at(-1)}`;
    const client = app().client();

    expect((await send(client, '/authsvc/forgot', { username: ' ', _csrf: 'x' })).status).toBe(400);
    expect((await send(client, '/authsvc/forgot', { username: 'ada', _csrf: 'x' })).status).toBe(403);
    expect((await send(client, path, { new_password: 'short', _csrf: 'x' })).status).toBe(400);
    expect((await send(client, path, { new_password: 'another-horse-8', _csrf: 'x' })).status).toBe(403);
  });

  test('the page of a link lets its form redirect to the target of sign-ins on another host', async (t) => {
    const LOGIN_REDIRECT_URL = 'https://portal.example.test/home';
    const { change, client, seedUser, services } = await startApp(t, { database, settings: { LOGIN_REDIRECT_URL } });
    const needs = { ...services, ...change(), baseUrl: services.baseUrl() };
    const user = await seedUser();
    const { link } = await offerReset(needs, { user, hours: 2, removesFactor: false, isSent: false });

    const { headers } = await client().page(new URL(link ?? '').pathname);

    expect(headers['content-security-policy']).toContain("form-action 'self' https://portal.example.test;");
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  test('the form for a new token makes a token for exactly the selected applications, and refuses those that the user may not use', async () => {
    const client = await app().signIn(await app().seedUser({ apps: ['authsvc', 'wiki', 'drive'] }));
    const form = formOf((await client.page('/authsvc/account/tokens')).text, '/authsvc/account/tokens');
    const raw = (apps: string[]) =>
      new URLSearchParams([
        ...Object.entries({ ...form.fields, name: 'ci' }),
        ...apps.map((one): [string, string] => ['allowed_apps', one]),
      ]).toString();
    const sendApps = (apps: string[]) =>
      client.request('POST', form.action, { raw: raw(apps), type: 'application/x-www-form-urlencoded' });

    expect((await sendApps(['wiki', 'secrets'])).status).toBe(403);
    expect((await sendApps(['wiki', 'drive'])).status).toBe(303);

    const { text } = await client.page('/authsvc/account/tokens');
    const token = /id="created"[^>]*>(tok_[0-9a-f]{64})</.exec(text)?.[1] ?? '';
    const { body } = await verify(app().client(), token);
    expect(body.permissions).toMatchObject({ allowed_apps: ['wiki', 'drive'] });
  });
});
