import { expect, onTestFinished, test } from 'vitest';
import { disableSecondFactor, enableSecondFactor } from '../../src/factors/second-factor.ts';
import { DAY_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { newTotpSecret } from '../../src/lib/totp.ts';
import { changePassword } from '../../src/users/change-password.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { deleteUser } from '../../src/users/queries.ts';
import { eachDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import {
  codeOf,
  type SecondFactorUser,
  seedSecondFactorUser,
  sendCode,
  wrongCode,
  wrongCodes,
} from '../support/totp.ts';
import { expectError } from './support.ts';

const settings = { AUTHSVC_TWO_FA_ENABLE: 'true' };

eachDatabase('the second step', (database) => {
  test('a password alone opens nothing for a user with a second factor', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();

    const reply = await client.login(carol);

    expect(reply.body).toEqual({ success: true, two_factor_required: true });
    expect(reply.cookies.map(({ name }) => name)).toEqual([expect.stringMatching(/^second_step\.[0-9a-f]{16}$/)]);
    expect(await client.isSignedIn()).toBe(false);
    expect((await client.post('/authsvc/test')).status).toBe(401);
    expect((await client.page('/authsvc/test')).headers.location).toMatch(/^\/authsvc\/login/);
  });

  test('the right code signs in with a new session and redirects to the destination of the sign-in', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.post('/authsvc/api/login', {
      username: carol.username,
      password: carol.password,
      redirect: '/app?a=1#x',
    });
    const before = client.clone();

    const reply = await sendCode(client, codeOf(app, carol.secret));

    expect(reply.body).toEqual({ success: true, message: 'Login successful', redirect_url: '/app?a=1#x' });
    expect(await client.isSignedIn()).toBe(true);
    expect(await before.isSignedIn()).toBe(false);
    expect((await client.page('/authsvc/2fa')).headers.location).toBe('/authsvc/login');
    expect((await app.user(carol.username))?.lastLoginAt).toBeGreaterThan(0);
  });

  test('checks come in this order: input, first step, CSRF token, code', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const stranger = app.client();
    const client = app.client();
    await client.login(carol);

    const verify = '/authsvc/api/verify-2fa';
    expect((await stranger.post(verify, {})).body.message).toBe('2FA token is required');
    expect((await stranger.post(verify, { token: null })).body.message).toBe('2FA token is required');
    for (const token of ['12345', '1234567', '12-456', '12345a', 'abcdef', 123456, ['123456']]) {
      expect((await stranger.post(verify, { token })).body.message).toBe('Invalid 2FA token format');
    }
    const refused = await stranger.post(verify, { token: '123456' });
    expect([refused.status, refused.body.message]).toEqual([401, 'Not authorized. Please login first.']);
    const noToken = await client.post(verify, { token: codeOf(app, carol.secret) });
    expect([noToken.status, noToken.body.code]).toEqual([403, 'CSRF_INVALID']);
    expect((await sendCode(client, codeOf(app, carol.secret))).status).toBe(200);
  });

  test('a code with anything beside its six digits is malformed, and costs no guess', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    const code = codeOf(app, carol.secret);

    for (const odd of [` ${code}\n`, `${code.slice(0, 3)} ${code.slice(3)}`, `${code}\u3000`, '2222222222']) {
      expectError(await sendCode(client, odd), 'SECOND_STEP_CODE_MALFORMED');
    }

    expect((await sendCode(client, code)).status).toBe(200);
  });

  test.each([
    ['full-width', 0xff10],
    ['Arabic', 0x0660],
    ['superscript', 0x2070],
    ['mathematical', 0x1d7ce],
  ])('a code in %s digits is malformed', async (_what, zero) => {
    const app = await startApp({ onTestFinished }, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    const code = codeOf(app, carol.secret).replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

    expectError(await sendCode(client, code), 'SECOND_STEP_CODE_MALFORMED');
  });

  test('a code works once, and afterwards no earlier code works', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const [first, second] = [app.client(), app.client()];
    await first.login(carol);
    await second.login(carol);
    const [older, code] = [codeOf(app, carol.secret, -1), codeOf(app, carol.secret)];

    expect((await sendCode(first, code)).status).toBe(200);

    for (const used of [code, older]) {
      expect((await sendCode(second, used)).body.message).toBe('Invalid 2FA code');
    }
    expect((await sendCode(second, codeOf(app, carol.secret, 1))).status).toBe(200);
  });

  test('a code stays used even if the factor is enabled again with the same secret', async (t) => {
    const app = await startApp(t, { database, settings });
    const { services } = app;
    const carol = await seedSecondFactorUser(app);
    const signInBy = async (code: string) => {
      const client = app.client();
      await client.login(carol);
      return (await sendCode(client, code)).status;
    };
    const code = codeOf(app, carol.secret);
    expect(await signInBy(code)).toBe(200);

    for (let times = 0; times < 2; times += 1) {
      await enableSecondFactor({ ...app.change(), dataSealer: services.dataSealer }, carol, carol.secret);
      expect(await signInBy(code)).toBe(401);
    }

    expect(await signInBy(codeOf(app, carol.secret, 1))).toBe(200);
  });

  test('a used code and a wait that were recorded while the clock was far ahead do not block the right code', async (t) => {
    const app = await startApp(t, { database, settings });
    const { kysely } = app.services.database;
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    const code = codeOf(app, carol.secret);
    const [future, step] = [app.clock.now() + DAY_MS, Math.floor(app.clock.now() / 30_000)];
    await kysely
      .updateTable('totp_factors')
      .set({ last_step: step + 20 })
      .execute();
    await kysely
      .insertInto('factor_guesses')
      .values({ user_id: carol.id, guesses: 12, blocked_until: future })
      .execute();

    await client.login(carol);
    expect((await sendCode(client, code)).status).toBe(200);

    await client.login(carol);
    expect((await sendCode(client, code)).status).toBe(401);
  });

  test('after the secret is replaced, a code of the new secret signs in, even right after a code of the old one was used', async (t) => {
    const app = await startApp(t, { database, settings });
    const { services } = app;
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    expect((await sendCode(client, codeOf(app, carol.secret, 1))).status).toBe(200);
    const secret = newTotpSecret();

    await enableSecondFactor({ ...app.change(), dataSealer: services.dataSealer }, carol, secret);
    await client.login(carol);

    expect((await sendCode(client, codeOf(app, secret, -1))).status).toBe(200);
  });

  test('after five wrong codes the login page says once why the sign-in must begin again', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    const inTime = (await client.page('/authsvc/login')).text;
    for (let guess = 0; guess < 5; guess += 1) await sendCode(client, wrongCode(app, carol.secret));

    const after = (await client.page('/authsvc/login')).text;
    const later = (await client.page('/authsvc/login')).text;

    expect(after).toContain('You entered too many wrong codes');
    for (const text of [inTime, later]) expect(text).toContain('id="notice" role="status" hidden');
  });

  test('a user who loses access to the application after the password gets no session, and the code stays unused', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    const change = (apps: string[]) => changeUser(app.change(), carol.username, { apps });

    await change(['elsewhere']);
    const refused = await sendCode(client, codeOf(app, carol.secret));
    await change(['authsvc']);
    const accepted = await sendCode(client, codeOf(app, carol.secret));

    expect([refused.status, refused.body.code]).toEqual([403, 'APP_NOT_ALLOWED']);
    expect(accepted.status).toBe(200);
  });

  test('each page completes its own sign-in, and wrong codes on one page do not count against another sign-in', async (t) => {
    const app = await startApp(t, { database, settings });
    const [carol, cate] = [await seedSecondFactorUser(app), await seedSecondFactorUser(app)];
    const client = app.client();
    const openTab = async (user: SecondFactorUser, redirect: string) => {
      await client.post('/authsvc/api/login', { username: user.username, password: user.password, redirect });
      const { text } = await client.page('/authsvc/2fa');
      const [, _csrf] = /name="_csrf" value="([^"]+)"/.exec(text) ?? [];
      const [, step] = /name="step"[^>]* value="([^"]+)"/.exec(text) ?? [];
      expect(text).toContain(user.username);
      return { step, send: (token: string) => client.post('/authsvc/api/verify-2fa', { token, step, _csrf }) };
    };
    const first = await openTab(carol, '/first');
    const second = await openTab(cate, '/second');
    const third = await openTab(carol, '/third');

    expect((await client.page(`/authsvc/2fa?step=${first.step}`)).text).toContain(carol.username);
    for (const code of wrongCodes(app, cate.secret).slice(0, 5)) await second.send(code);
    expectError(await second.send(codeOf(app, cate.secret)), 'FIRST_STEP_REQUIRED');
    expect((await client.page('/authsvc/login')).text).toContain('too many wrong codes');
    expect((await first.send(codeOf(app, carol.secret))).body.redirect_url).toBe('/first');
    expect((await third.send(codeOf(app, carol.secret, 1))).body.redirect_url).toBe('/third');
    for (const step of [second.step, 'unknown', ['odd']]) {
      const body = { token: '123456', step, _csrf: await client.csrf('/authsvc/accounts') };
      expectError(await client.post('/authsvc/api/verify-2fa', body), 'FIRST_STEP_REQUIRED');
    }
  });

  test('a browser keeps its five newest unfinished sign-ins', async (t) => {
    const app = await startApp(t, { database, settings });
    const client = app.client();
    const steps: string[] = [];
    for (let count = 0; count < 7; count += 1) {
      app.clock.advance(1000);
      const reply = await client.login(await seedSecondFactorUser(app));
      steps.push(reply.cookies.find(({ isCleared }) => !isCleared)?.name ?? '');
    }

    const kept = [...client.jar.keys()].filter((name) => name.startsWith('second_step.'));
    expect(kept.sort()).toEqual(steps.slice(2).sort());
  });

  test('five wrong codes end the sign-in, and then even the right code is too late', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    const _csrf = await client.csrf('/authsvc/2fa');
    const verify = (token: string) => client.post('/authsvc/api/verify-2fa', { token, _csrf });

    for (let guess = 0; guess < 5; guess += 1) {
      expect((await verify(wrongCode(app, carol.secret))).body.message).toBe('Invalid 2FA code');
    }

    expect((await verify(codeOf(app, carol.secret))).body.message).toBe('Not authorized. Please login first.');
    expect((await client.page('/authsvc/2fa')).headers.location).toBe('/authsvc/login');
  });

  test('of twenty simultaneous requests with the right code exactly one signs in, and the others cost the account no guess', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    const body = { token: codeOf(app, carol.secret), _csrf: await client.csrf('/authsvc/2fa') };

    const replies = await Promise.all(
      Array.from({ length: 20 }, () => client.clone().post('/authsvc/api/verify-2fa', body)),
    );

    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 401)]);
  });

  test('a new sign-in does not reset the guesses of the account', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const guess = async (token: string) => {
      const client = app.client();
      await client.login(carol);
      return sendCode(client, token);
    };
    for (let made = 0; made < 10; made += 1) await guess(wrongCode(app, carol.secret));

    const refused = await guess(codeOf(app, carol.secret));

    expect([refused.status, refused.body.message]).toEqual([429, 'Too many 2FA attempts, please try again later']);
    const wait = String(refused.headers['retry-after']);
    expect(Number(wait)).toBeGreaterThan(50);
    expect(Number(wait)).toBeLessThanOrEqual(60);
    expect(refused.headers).toMatchObject({
      'ratelimit-limit': '5',
      'ratelimit-remaining': '0',
      'ratelimit-reset': wait,
    });
    app.clock.advance(MINUTE_MS + 1000);
    expect((await guess(codeOf(app, carol.secret))).status).toBe(200);
    expect((await guess(wrongCode(app, carol.secret))).status).toBe(401);
  });

  test('an unfinished sign-in lasts ten minutes', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const [inTime, late] = [app.client(), app.client()];
    await inTime.login(carol);
    await late.login(carol);

    app.clock.advance(9.5 * MINUTE_MS);
    expect((await sendCode(inTime, codeOf(app, carol.secret))).status).toBe(200);
    app.clock.advance(MINUTE_MS);
    expect((await sendCode(late, codeOf(app, carol.secret))).status).toBe(401);
  });

  test('the command to enable a second factor reports a user who was removed in the meantime', async (t) => {
    const app = await startApp(t, { database, settings });
    const { services } = app;
    const gone = await app.seedUser();
    await deleteUser.run(services.database, { id: gone.id });

    const enabled = enableSecondFactor({ ...app.change(), dataSealer: services.dataSealer }, gone, newTotpSecret());

    await expect(enabled).rejects.toMatchObject({ code: 'USER_NOT_FOUND', parameters: { username: gone.username } });
  });

  test('a change of password, a deactivation and a new secret each end unfinished sign-ins', async (t) => {
    const app = await startApp(t, { database, settings });
    const { passwords, settings: application, dataSealer } = app.services;
    const password = { ...app.change(), passwords, application };
    const ways = [
      (user: SecondFactorUser) => changePassword(password, { user, password: user.password, way: 'command' }),
      ({ username }: SecondFactorUser) => changeUser(app.change(), username, { isActive: false }),
      (user: SecondFactorUser) => disableSecondFactor(app.change(), user),
      (user: SecondFactorUser) => enableSecondFactor({ ...app.change(), dataSealer }, user, newTotpSecret()),
    ];
    for (const change of ways) {
      const carol = await seedSecondFactorUser(app);
      const client = app.client();
      await client.login(carol);
      const _csrf = await client.csrf('/authsvc/2fa');
      const token = codeOf(app, carol.secret);
      await change(carol);
      const reply = await client.post('/authsvc/api/verify-2fa', { token, _csrf });
      expect([reply.status, reply.body.code]).toEqual([401, 'FIRST_STEP_REQUIRED']);
    }
  });

  test('an unreadable secret is reported to the operator, and not as a wrong code', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const foreign = createSealer(['another secret of at least 32 characters']).seal('totp secret', carol.secret);
    const client = app.client();
    await client.login(carol);
    await app.services.database.kysely.updateTable('totp_factors').set({ secret: foreign }).execute();

    const reply = await sendCode(client, codeOf(app, carol.secret));

    expect([reply.status, reply.body.message]).toEqual([500, '2FA is not configured correctly.']);
    const line = app.log().find(({ code }) => code === 'SECOND_STEP_MISCONFIGURED');
    expect(JSON.stringify(line)).toContain('SESSION_SECRET_KEY');
  });

  test('after a rotation of the session secret and a sign-in, the second factor works without the old secret', async (t) => {
    const shared = await freshDatabase(database);
    t.onTestFinished(shared.drop);
    const [old, fresh] = ['an-old-session-secret-0123456789-abcdef', 'a-fresh-session-secret-0123456789-abcdef'];
    const start = (SESSION_SECRET_KEY: string) =>
      startApp(t, { database: shared, settings: { ...settings, SESSION_SECRET_KEY } });
    const carol = await seedSecondFactorUser(await start(old));
    const rotated = await start(`${fresh},${old}`);
    const client = rotated.client();
    await client.login(carol);
    expect((await sendCode(client, codeOf(rotated, carol.secret))).status).toBe(200);

    const later = await start(fresh);
    const again = later.client();
    await again.login(carol);
    expect((await sendCode(again, codeOf(later, carol.secret, 1))).status).toBe(200);
  });

  test('a recovery code is accepted once instead of a code of the app, in any notation', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const other = await seedSecondFactorUser(app);
    const [code = '', next = '', third = '', fourth = ''] = carol.recoveryCodes;
    expect(carol.recoveryCodes).toHaveLength(10);
    const use = async (typed: string) => {
      const client = app.client();
      await client.login(carol);
      return (await sendCode(client, typed)).status;
    };

    expect(await use(code.toLowerCase().replace('-', ''))).toBe(200);
    expect(await use(code)).toBe(401);
    expect(await use(other.recoveryCodes[0] ?? '')).toBe(401);
    expect(await use(next.replace('-', ''))).toBe(200);
    expect(await use(third.replace('-', '–'))).toBe(200);
    expect(await use(fourth.replace('-', '−'))).toBe(200);
  });
});

eachDatabase('trusted browsers', (database) => {
  const trust = { trust_device: 'true' };

  test('a trusted browser skips the code of its own user only, survives a logout, and never skips the password', async (t) => {
    const app = await startApp(t, { database, settings });
    const [carol, dora] = [await seedSecondFactorUser(app), await seedSecondFactorUser(app)];
    const client = app.client();
    for (const user of [carol, dora]) {
      await client.login(user);
      expect((await sendCode(client, codeOf(app, user.secret), trust)).status).toBe(200);
      await client.logout();
    }

    for (const user of [carol, dora]) {
      expect((await client.login({ ...user, password: 'wrong-horse-1' })).status).toBe(401);
      expect((await client.login(user)).body).toEqual({
        success: true,
        message: 'Login successful',
        redirect_url: '/authsvc/',
      });
    }
    expect((await app.client().login(carol)).body.two_factor_required).toBe(true);
  });

  test('trust in a browser ends after the number of days in the settings', async (t) => {
    const app = await startApp(t, { database, settings });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    const reply = await sendCode(client, codeOf(app, carol.secret), trust);
    const cookie = reply.cookies.find(({ name }) => name === 'trusted_device');
    expect(Number(cookie?.attributes['max-age'])).toBeCloseTo((7 * DAY_MS) / 1000, -1);

    app.clock.advance(6.9 * DAY_MS);
    expect((await client.login(carol)).body.two_factor_required).toBeUndefined();
    app.clock.advance(0.2 * DAY_MS);
    expect((await client.login(carol)).body.two_factor_required).toBe(true);
  });

  test('trust in a browser ends with a new secret, with the second factor, and with a new password', async (t) => {
    const app = await startApp(t, { database, settings });
    const { passwords, settings: application, dataSealer } = app.services;
    const password = { ...app.change(), passwords, application };
    const renew = (user: SecondFactorUser) => enableSecondFactor({ ...app.change(), dataSealer }, user, user.secret);
    const ways = [
      renew,
      async (user: SecondFactorUser) => {
        await disableSecondFactor(app.change(), user);
        await renew(user);
      },
      (user: SecondFactorUser) => changePassword(password, { user, password: user.password, way: 'command' }),
    ];
    for (const change of ways) {
      const carol = await seedSecondFactorUser(app);
      const client = app.client();
      await client.login(carol);
      await sendCode(client, codeOf(app, carol.secret), trust);
      await change(carol);
      expect((await client.login(carol)).body.two_factor_required).toBe(true);
    }
  });

  test('with a duration of 0 no browser is trusted', async (t) => {
    const app = await startApp(t, { database, settings: { ...settings, DEVICE_TRUST_DURATION_DAYS: '0' } });
    const carol = await seedSecondFactorUser(app);
    const client = app.client();
    await client.login(carol);
    expect((await client.page('/authsvc/2fa')).text).not.toContain('trust_device');
    const reply = await sendCode(client, codeOf(app, carol.secret), trust);

    expect(reply.cookies.some(({ name }) => name === 'trusted_device')).toBe(false);
    expect((await client.login(carol)).body.two_factor_required).toBe(true);
  });
});
