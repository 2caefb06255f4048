import { expect, test } from 'vitest';
import { refusalWords } from '../../src/command/refusal-words.ts';
import { AppError } from '../../src/errors/app-error.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { parseEmail } from '../../src/lib/email-address.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { getUser } from '../../src/users/find-user.ts';
import { setPasswordHash } from '../../src/users/queries.ts';
import { issueLink } from '../../src/welcome/issue-link.ts';
import { inviteUser, offerReset } from '../../src/welcome/offer-link.ts';
import { authenticatorFor, passkeySignIn } from '../support/authenticator.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { PASSWORD } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, wrongCode } from '../support/totp.ts';
import { expectError, sharedApp } from './support.ts';

const NEW = 'another-horse-8';

eachDatabase('links that let a user in', (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });
  const needs = () => {
    const { settings, outbox } = app().services;
    return { ...app().change(), settings, outbox, baseUrl: '' };
  };
  const codeIn = <Offered extends { link: string | null }>(offered: Offered) => ({
    ...offered,
    code: offered.link?.split('/').at(-1) ?? '',
  });
  const invite = async (name: string, hours = 72) =>
    codeIn(await inviteUser(needs(), { user: { name, role: 'normaluser' }, hours, isSent: false }));
  const reset = async (name: string, options = {}) =>
    codeIn(
      await offerReset(needs(), {
        user: await getUser(app().services.database, name),
        hours: 2,
        removesFactor: false,
        isSent: false,
        ...options,
      }),
    );
  const use = (code: string, body: object = {}, client = app().client()) =>
    client.post('/authsvc/api/welcome', { code, new_password: NEW, ...body });

  test('a promotion to superadmin ends older links', async () => {
    const user = await app().seedUser();
    const before = await reset(user.username);

    await changeUser(app().change(), user.username, { role: 'superadmin' });

    expectError(await use(before.code), 'LINK_INVALID');
    expect((await use((await reset(user.username)).code)).status).toBe(200);
  });

  test('an invited user has no password, chooses one by the link, and is signed in', async () => {
    const { code, username } = await invite('Ida');
    expect((await app().user('ida'))?.hasPassword).toBe(false);
    expect((await app().client().login({ username, password: NEW })).body).toMatchObject({
      code: 'PASSWORD_INCORRECT',
    });
    const client = app().client();

    const page = await client.page(`/authsvc/welcome/${code}`);
    const reply = await use(code, {}, client);

    expect(page.status).toBe(200);
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(page.headers['cache-control']).toBe('no-store');
    expect(reply.body).toEqual({ success: true, message: expect.any(String), redirect_url: '/authsvc/' });
    expect(await client.isSignedIn()).toBe(true);
    expect((await app().client().login({ username, password: NEW })).status).toBe(200);
    await expect(invite('ida')).rejects.toMatchObject({ code: 'USER_HAS_WAY_IN' });
  });

  test('each new link is recorded as an event, after the event of the new user', async () => {
    const { username, ...first } = await invite('lea');
    const offers = [first, await invite(username), await reset(username)];
    const ends = offers.map(({ expiresAt }) => new Date(expiresAt).toISOString());

    const events = app()
      .log()
      .filter(({ audit, subject_name: name }) => audit !== undefined && name === username)
      .map(({ audit, details }) => [audit, details]);
    expect(events).toEqual([
      ['user.created', { role: 'normaluser', allowed_apps: ['authsvc'], is_active: true }],
      ['link.issued', { kind: 'invite', expires_at: ends[0] }],
      ['link.issued', { kind: 'invite', expires_at: ends[1] }],
      ['link.issued', { kind: 'reset', expires_at: ends[2] }],
    ]);
  });

  test('used, unknown, expired and replaced links get the same reply', async () => {
    const first = await invite('jo');
    const second = await invite('jo');
    const short = await reset((await app().seedUser()).username, { hours: 0.5 });
    expect((await use(second.code)).status).toBe(200);
    app().clock.advance(HOUR_MS);

    for (const code of [first.code, second.code, short.code, 'A'.repeat(43), "'; --"]) {
      expectError(await use(code), 'LINK_INVALID');
      expect(
        (
          await app()
            .client()
            .page(`/authsvc/welcome/${encodeURIComponent(code)}`)
        ).status,
      ).toBe(404);
    }
  });

  test('the page mentions a sign-out only to users who have sessions', async () => {
    const words = 'This signs you in here and out everywhere else.';
    const user = await app().seedUser();
    const { code } = await reset(user.username);
    const show = async (link: string) => (await app().client().page(`/authsvc/welcome/${link}`)).text.includes(words);

    expect([await show((await invite('ian')).code), await show(code)]).toEqual([false, false]);
    const client = await app().signIn(user);
    expect(await show(code)).toBe(true);
    await client.logout();

    expect(await show(code)).toBe(false);
  });

  test('a reset link refuses the current password, and still works afterwards', async () => {
    const user = await app().seedUser();
    const { code } = await reset(user.username);
    const client = await app().signIn(user);

    expectError(await use(code, { new_password: PASSWORD }), 'PASSWORD_UNCHANGED', 'new_password');

    expect(await client.isSignedIn()).toBe(true);
    expect((await use(code)).status).toBe(200);
    expect(await client.isSignedIn()).toBe(false);
    const next = await reset(user.username);
    expectError(await use(next.code), 'PASSWORD_UNCHANGED', 'new_password');
    expect((await use(next.code, { new_password: PASSWORD })).status).toBe(200);
  });

  test('a link reveals nothing about the current password without the code of the second factor', async () => {
    const user = await seedSecondFactorUser(app());
    const { code } = await reset(user.username);
    const token = wrongCode(app(), user.secret);

    for (const password of [PASSWORD, NEW])
      expectError(await use(code, { new_password: password, token }), 'TOTP_CODE_INCORRECT');
    const right = { token: codeOf(app(), user.secret) };
    expectError(await use(code, { new_password: PASSWORD, ...right }), 'PASSWORD_UNCHANGED', 'new_password');

    expect((await use(code, right)).status).toBe(200);
  });

  test('an unreadable hash does not prevent a new password', async () => {
    const user = await app().seedUser();
    await setPasswordHash.run(app().services.database, { id: user.id, hash: '$argon2id$damaged' });
    const { code } = await reset(user.username);

    expect((await use(code)).status).toBe(200);
    expect((await app().client().login({ username: user.username, password: NEW })).status).toBe(200);
  });

  test('only one of twenty simultaneous uses of a link succeeds', async () => {
    const { code, username } = await invite('kim');
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => use(code, { new_password: `racing-horse-${index}` })),
    );

    const won = replies.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(won).toHaveLength(1);
    expect(replies.every(({ status }) => [200, 404, 503].includes(status))).toBe(true);
    const password = `racing-horse-${won[0]}`;
    expect((await app().client().login({ username, password })).status).toBe(200);
  });

  test('a refused form leaves the link valid, and a reset ends everything that the old password opened', async () => {
    const user = await app().seedUser();
    const [one, two] = [await app().signIn(user), await app().signIn(user)];
    const { code } = await reset(user.username);
    for (const [body, name] of [
      [{ new_password: 'short' }, 'PASSWORD_TOO_SHORT'],
      [{ new_password: 'p'.repeat(256) }, 'PASSWORD_TOO_LONG'],
      [{ new_password: 'password123' }, 'PASSWORD_TOO_COMMON'],
      [{ new_password: user.username }, 'PASSWORD_TOO_COMMON'],
      [{ new_password: undefined }, 'MISSING_REQUIRED_FIELD'],
    ] as const)
      expect((await use(code, body)).body).toMatchObject({ code: name, field: 'new_password' });
    await changeUser(app().change(), user.username, { isActive: false });
    expectError(await use(code), 'ACCOUNT_INACTIVE');
    await changeUser(app().change(), user.username, { isActive: true, apps: ['elsewhere'] });
    expectError(await use(code), 'APP_NOT_ALLOWED');
    await changeUser(app().change(), user.username, { apps: ['authsvc'] });
    const other = await reset(user.username);
    const three = await app().signIn(user);

    expect((await use(other.code, {}, one)).status).toBe(200);

    expect([await one.isSignedIn(), await two.isSignedIn(), await three.isSignedIn()]).toEqual([true, false, false]);
    expect((await app().client().login(user)).status).toBe(401);
  });

  test('with a second factor the code is required and used up', async () => {
    const user = await seedSecondFactorUser(app());
    const { code } = await reset(user.username);
    const token = codeOf(app(), user.secret);

    expect((await app().client().page(`/authsvc/welcome/${code}`)).text).toContain('name="token"');
    expect((await use(code)).body).toMatchObject({ code: 'SECOND_STEP_CODE_REQUIRED' });
    expectError(await use(code, { token: wrongCode(app(), user.secret) }), 'TOTP_CODE_INCORRECT');
    expect((await app().client().login(user)).body).toMatchObject({ two_factor_required: true });
    expect((await use(code, { token: ` ${token.replace(/^.../, '$& ')}` })).status).toBe(200);
    expectError(await use((await reset(user.username)).code, { token }), 'TOTP_CODE_INCORRECT');
  });

  test('using a link can remove the second factor', async () => {
    const user = await seedSecondFactorUser(app());
    const { code } = await reset(user.username, { removesFactor: true });
    expect((await app().user(user.username))?.secondFactorAt).not.toBeNull();

    expect((await use(code)).status).toBe(200);

    expect((await app().user(user.username))?.secondFactorAt).toBeNull();
  });

  test('the page works without scripts, and names the invalid field', async () => {
    const { code } = await invite('lou');
    const client = app().client();
    const path = `/authsvc/welcome/${code}`;
    const _csrf = await client.csrf(path);
    const send = (fields: Record<string, string>) =>
      client.request('POST', path, {
        raw: String(new URLSearchParams({ _csrf, ...fields })),
        type: 'application/x-www-form-urlencoded',
        headers: { accept: 'text/html' },
      });

    const refused = await send({ new_password: 'short' });
    const done = await send({ new_password: NEW });

    expect(refused.status).toBe(400);
    expect(refused.text).toContain('aria-invalid="true"');
    expect(refused.text).not.toContain('value="short"');
    expect((await send({ new_password: NEW, _csrf: 'x' })).status).toBe(403);
    expect([done.status, done.headers.location]).toEqual([303, '/authsvc/']);
    expect(await client.isSignedIn()).toBe(true);
  });

  const offer = async (client: Client, code: string) => {
    const { body } = await client.post('/authsvc/api/welcome/options', { code });
    return Object(body.options);
  };

  test('a passkey can replace the password, and ends everything that the password opened', async () => {
    const user = await app().seedUser();
    const before = await app().signIn(user);
    const { code } = await reset(user.username);
    const client = app().client();
    const authenticator = authenticatorFor(app());

    const response = authenticator.create(await offer(client, code));
    const reply = await client.post('/authsvc/api/welcome', { code, response });

    expect(reply.body).toEqual({ success: true, message: expect.any(String), redirect_url: '/authsvc/' });
    expect(reply.cookies.find(({ name }) => name === 'last_login_method')?.value).toBe('passkey');
    expect([await client.isSignedIn(), await before.isSignedIn()]).toEqual([true, false]);
    expectError(await app().client().login(user), 'PASSWORD_INCORRECT');
    expect((await passkeySignIn(app().client(), authenticator)).status).toBe(200);
    expectError(await client.post('/authsvc/api/welcome', { code, response }), 'LINK_INVALID');
    const { kysely } = app().services.database;
    const session = await kysely.selectFrom('sessions').selectAll().where('user_id', '=', user.id).executeTakeFirst();
    expect(session).toMatchObject({ method: 'link', amr: '["swk","user","mfa"]' });
    const events = app()
      .log()
      .filter(({ audit, subject_id: id }) => audit === 'factor.changed' && id === user.id)
      .map(({ details }) => details);
    expect(events).toEqual([
      { kind: 'passkey', change: 'added', passkey_ref: expect.any(String), way: 'reset', sessions_ended: 1 },
    ]);
  });

  test('an invited user who chooses a passkey has no password, and cannot be invited again', async () => {
    const { code, username } = await invite('Nia');
    const client = app().client();
    const authenticator = authenticatorFor(app());

    const response = authenticator.create(await offer(client, code));
    expect((await client.post('/authsvc/api/welcome', { code, response })).status).toBe(200);

    expect((await app().user(username))?.hasPassword).toBe(false);
    await expect(invite(username)).rejects.toMatchObject({ code: 'USER_HAS_WAY_IN' });
  });

  test('the refusal to invite a user again says that the user is inactive', async () => {
    const [active, inactive] = [await app().seedUser(), await app().seedUser({ isInactive: true })];
    const wordsOf = (name: string) =>
      invite(name).then(String, (error: unknown) => (error instanceof AppError ? refusalWords(error) : String(error)));

    expect(await wordsOf(active.username)).toContain(`${active.username} can already sign in.`);
    expect(await wordsOf(inactive.username)).toContain(`${inactive.username} is inactive,`);
  });

  test('a refused passkey keeps the link and the password', async () => {
    const user = await app().seedUser();
    const { code } = await reset(user.username);
    const other = await reset((await app().seedUser()).username);
    const [client, thief] = [app().client(), app().client()];
    const send = (by: Client, response: unknown) => by.post('/authsvc/api/welcome', { code, response });

    const stolen = authenticatorFor(app()).create(await offer(client, code));
    await offer(thief, code);
    expectError(await send(thief, stolen), 'PASSKEY_INVALID');
    const unverified = authenticatorFor(app()).create(await offer(client, code), { isVerified: false });
    expectError(await send(client, unverified), 'PASSKEY_INVALID');
    const ofOther = authenticatorFor(app()).create(await offer(client, other.code));
    expectError(await send(client, ofOther), 'PASSKEY_INVALID');
    expectError(await client.post('/authsvc/api/welcome/options', { code: 'unknown' }), 'LINK_INVALID');
    expectError(
      await client.post('/authsvc/api/welcome', { code, response: {}, new_password: NEW }),
      'FIELD_INVALID',
      'new_password',
    );
    expectError(await client.post('/authsvc/api/welcome', { code }), 'MISSING_REQUIRED_FIELD', 'new_password');

    expect((await app().client().login(user)).status).toBe(200);
    expect((await send(client, authenticatorFor(app()).create(await offer(client, code)))).status).toBe(200);
  });

  test('a passkey by a link requires the code of the second factor too', async () => {
    const user = await seedSecondFactorUser(app());
    const { code } = await reset(user.username);
    const client = app().client();
    const response = authenticatorFor(app()).create(await offer(client, code));
    const send = (body: object) => client.post('/authsvc/api/welcome', { code, response, ...body });

    expectError(await send({}), 'SECOND_STEP_CODE_REQUIRED', 'token');
    expectError(await send({ token: wrongCode(app(), user.secret) }), 'TOTP_CODE_INCORRECT');
    expect((await send({ token: codeOf(app(), user.secret) })).status).toBe(200);
  });

  test('a new address ends the reset links that were mailed to the old one', async () => {
    const user = await app().seedUser();
    const expiresAt = app().clock.now() + HOUR_MS;
    const sent = {
      user,
      kind: 'reset',
      source: 'mail',
      sentTo: 'a@box.test',
      removesFactor: false,
      expiresAt,
    } as const;
    const { now, actor } = app().change();
    const { code } = await app().services.database.transaction((tx) => issueLink(tx, sent, { now, actor }));
    const shown = await reset(user.username);

    await changeUser(app().change(), user.username, { email: parseEmail('b@box.test') });

    expectError(await use(code), 'LINK_INVALID');
    expect((await use(shown.code)).status).toBe(200);
  });

  test('no code of a link is logged', async () => {
    const { code } = await reset((await app().seedUser({ password: PASSWORD })).username);
    await app().client().page(`/authsvc/welcome/${code}`);
    await use(code);

    expect(JSON.stringify(app().log())).not.toContain(code);
    expect(JSON.stringify(app().log())).toContain('/authsvc/welcome/:code');
  });
});
