import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listTokens } from '../../src/api-tokens/queries.ts';
import { clean } from '../../src/db/cleaning.ts';
import { deleteOldRequests } from '../../src/device-login/queries.ts';
import { setProfileState } from '../../src/device-login/set-profile-state.ts';
import { systemActor } from '../../src/events/actor.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { deleteUser, setPasswordHash } from '../../src/users/queries.ts';
import type { Reply } from '../support/client.ts';
import { createToken, decide, poll, requestToken, seedProfile, verify } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { expectError, sharedApp } from './support.ts';

const DAY = 24 * 60 * 60 * 1000;
const outcome = ({ status, body }: Reply) => [status, body.success, body.status, 'token' in body];
const EXPIRED = [200, false, 'expired', false];
const DENIED = [200, false, 'denied', false];
const PENDING = [200, false, 'pending', false];

/** Creates a profile, a person who is signed in, and a device login that waits for approval. */
async function startRequest(app: TestApp) {
  const [person, profile] = await Promise.all([app.seedUser(), seedProfile(app)]);
  const [browser, program] = [await app.signIn(person), app.client()];
  const ask = () => requestToken(program, profile.key);
  return { app, person, profile, browser, program, ask, codes: await ask() };
}

const tokensOf = ({ services }: TestApp, userId: number) => listTokens.all(services.database, { userId });

eachDatabase('device login', (database) => {
  const shared = sharedApp({ database });

  test('an approval that is undone by a loss of rights no longer counts against the limit of tokens', async (t) => {
    const app = await startApp(t, { database, settings: { MAX_TOKENS_PER_USER: '1' } });
    const { person, browser, program, codes } = await startRequest(app);
    await changeUser(app.change(), person.username, { apps: ['authsvc', 'billing'] });
    expect((await decide(browser, codes)).body.status).toBe('approved');
    expectError(await browser.post('/api/token', { name: 'ci' }), 'TOKEN_LIMIT_REACHED');

    await changeUser(app.change(), person.username, { apps: ['authsvc'] });

    expect(outcome(await poll(program, codes))).toEqual(DENIED);
    expect((await createToken(browser)).token).toMatch(/^tok_/);
  });

  test('a session that ends with a new password gives neither an approval nor a token', async (t) => {
    const app = await startApp(t, { database });
    const { person, browser, program, codes } = await startRequest(app);
    expect([await browser.isSignedIn(), await browser.isSignedIn()]).toEqual([true, true]);
    const waiting: Promise<Reply>[] = [];

    await app.services.database.transaction(async (tx) => {
      await setPasswordHash.run(tx, { id: person.id, hash: 'of the new one' });
      const subject = { id: person.id, name: person.username };
      await recordEvent(tx, { type: 'password.changed', actor: systemActor, subject, details: { way: 'command' } });
      waiting.push(decide(browser, codes), browser.post('/api/token', { name: 'ci' }));
      await sleep(300);
    });

    for (const reply of await Promise.all(waiting)) expectError(reply, 'NOT_SIGNED_IN');
    expect(outcome(await poll(program, codes))).toEqual(PENDING);
    expect(await tokensOf(app, person.id)).toEqual([]);
  });

  test('a request returns both codes, the URL for the approval, and the values of the profile', async (t) => {
    const app = await startApp(t, { database, settings: { BASE_URL: 'https://auth.example.test' } });
    const profile = await seedProfile(app, {
      key: 'public-key',
      scope: 'write',
      apps: ['authsvc', 'b'],
      expiresInDays: 7,
    });
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' };

    const {
      status,
      body,
      headers: got,
    } = await app
      .client()
      .post(
        '/api/cli/device',
        { clientName: 'a\u202eb\u200b\n<i>', profileKey: 'public-key', profileId: 99 },
        { headers },
      );

    expect(status).toBe(201);
    expect(body).toEqual({
      success: true,
      verification_url: `https://auth.example.test/authsvc/cli/device/${body.user_code}`,
      user_code: expect.stringMatching(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/),
      device_code: expect.stringMatching(/^[0-9a-f]{48}$/),
      expires_in: 900,
      interval: 5,
      client_name: 'a b <i>',
      profile: {
        id: profile.id,
        key: 'public-key',
        name: 'Command line',
        scope: 'write',
        allowed_apps: ['authsvc', 'b'],
        expires_in_days: 7,
      },
    });
    expect(got.deprecation).toBeUndefined();
  });

  test('a profile can still be named by its number, with a deprecation notice', async () => {
    const app = shared();
    const profile = await seedProfile(app);

    const { status, body, headers } = await app
      .client()
      .post('/api/cli/device', { clientName: 'x', profileId: profile.id });

    expect([status, body.profile]).toEqual([201, expect.objectContaining({ key: profile.key })]);
    expect(headers.deprecation).toMatch(/^@\d+$/);
  });

  test('null for the name or number of the profile means that it is left out', async () => {
    const app = shared();
    const { id, key } = await seedProfile(app);
    const ask = (profile: object) => app.client().post('/api/cli/device', { clientName: 'x', ...profile });

    expect((await ask({ profileKey: key, profileId: null })).body.profile).toMatchObject({ key });
    expect((await ask({ profileKey: null, profileId: id })).body.profile).toMatchObject({ key });
    expect((await ask({ profileKey: null, profileId: null })).body.code).toBe('PROFILE_REQUIRED');
  });

  test('an invalid request is refused with the reason', async () => {
    const { app, profile, browser, codes } = await startRequest(shared());
    const { key: profileKey } = profile;
    const begin: [unknown, string][] = [
      [{ profileKey }, 'MISSING_REQUIRED_FIELD'],
      ...['', ' ', '\u200b', '\u3164', '\u2800', '\ufe0f', '\u{1d159}', 'c'.repeat(256), 7, null].map(
        (clientName): [unknown, string] => [
          { clientName, profileKey },
          clientName === null ? 'MISSING_REQUIRED_FIELD' : 'CLIENT_NAME_INVALID',
        ],
      ),
      [{ clientName: 'x' }, 'PROFILE_REQUIRED'],
      ...['abcde', 'no-such-key', "' OR 1=1 --", 'cli-\0default', { a: 1 }, 7].map((key): [unknown, string] => [
        { clientName: 'x', profileKey: key },
        typeof key === 'string' ? 'PROFILE_UNKNOWN' : 'FIELD_INVALID',
      ]),
      ...[0, -1, 1.5, '1', '1 OR 1=1', 99_999_999_999].map((profileId): [unknown, string] => [
        { clientName: 'x', profileId },
        Number.isInteger(profileId) ? 'PROFILE_UNKNOWN' : 'FIELD_INVALID',
      ]),
    ];
    const { userCode: user_code } = codes;
    const decisions = [
      {},
      { user_code },
      { action: 'approve' },
      { user_code, action: 'yes' },
      { user_code: [user_code], action: 'approve' },
      { user_code: 7, action: 'deny' },
    ];
    const polls = [
      {},
      ...['', 123, null, ['x'], 'g'.repeat(48), codes.userCode, 'x'.repeat(60_000), `${codes.deviceCode}0`].map(
        (device_code) => ({ device_code }),
      ),
    ];

    for (const [body, code] of begin) {
      const reply = await app.client().post('/api/cli/device', body);
      expect([reply.status, reply.body.code], JSON.stringify(body)).toEqual([400, code]);
    }
    for (const body of decisions) expect((await browser.post('/api/cli/device/approve', body)).status).toBe(400);
    for (const body of polls) expect((await app.client().post('/api/cli/device/token', body)).status).toBe(400);
    expect(outcome(await poll(app.client(), codes))).toEqual(PENDING);
  });

  test('after the approval the first poll gets the token with the values of the profile, and later polls do not', async () => {
    const { app, person, browser, program, codes } = await startRequest(shared());

    const before = await poll(program, codes);
    const approved = await decide(browser, codes);
    const [first, second, third] = [await poll(program, codes), await poll(program, codes), await poll(program, codes)];

    expect(before.body).toMatchObject({ success: false, status: 'pending', interval: 5 });
    expect([approved.status, approved.body.success, approved.body.status]).toEqual([200, true, 'approved']);
    const token = String(first.body.token);
    expect(first.body).toEqual({
      success: true,
      status: 'approved',
      token: expect.stringMatching(/^tok_[0-9a-f]{64}$/),
      token_prefix: token.slice(0, 12),
      username: person.username,
      message: expect.any(String),
    });
    for (const later of [second, third]) expect(outcome(later)).toEqual([200, false, 'completed', false]);
    const { body } = await verify(app.client(), token);
    expect(body).toMatchObject({
      username: person.username,
      permissions: { scope: 'read-only', allowed_apps: ['authsvc'] },
    });
    expect(Math.abs(Date.parse(String(body.expiresAt)) - app.clock.now() - 30 * DAY)).toBeLessThan(5000);
    expect((await tokensOf(app, person.id)).map(({ name }) => name)).toEqual(['laptop']);
  });

  test('a denial is final', async () => {
    const { app, person, browser, program, codes } = await startRequest(shared());

    const denied = await decide(browser, codes, 'deny');
    const again = await decide(browser, codes);
    const polls = [await poll(program, codes), await poll(program, codes)];

    expect([denied.status, denied.body.status]).toEqual([200, 'denied']);
    expect([again.status, again.body.success, again.body.status, again.body.code]).toEqual([
      409,
      false,
      'denied',
      'DEVICE_REQUEST_DECIDED',
    ]);
    expect(polls.map(outcome)).toEqual([DENIED, DENIED]);
    expect(await tokensOf(app, person.id)).toEqual([]);
  });

  test('a request cannot be decided twice, whatever the first decision was', async () => {
    const { browser, program, ask } = await startRequest(shared());
    const results: unknown[] = [];

    for (const [first, second] of [
      ['approve', 'approve'],
      ['approve', 'deny'],
      ['deny', 'approve'],
      ['deny', 'deny'],
    ] as const) {
      const codes = await ask();
      await decide(browser, codes, first);
      const { status, body } = await decide(browser, codes, second);
      results.push([status, body.status]);
    }
    const delivered = await ask();
    await decide(browser, delivered);
    await poll(program, delivered);
    const after = await decide(browser, delivered, 'deny');

    expect(results).toEqual([
      [409, 'approved'],
      [409, 'approved'],
      [409, 'denied'],
      [409, 'denied'],
    ]);
    expect([after.status, after.body.status]).toEqual([409, 'completed']);
  });

  test('codes that were never issued are unknown to the program and to the person', async () => {
    const { app, browser } = await startRequest(shared());
    const unknown = ['ZZZZ-ZZZZ', 'zzzz', 'x', '\0', '<i>'];

    const decisions = await Promise.all(unknown.map((userCode) => decide(browser, { userCode, deviceCode: '' })));
    const polled = await poll(app.client(), { userCode: '', deviceCode: '0'.repeat(48) });

    expect(decisions.map(({ status, body }) => [status, body.code])).toEqual(
      unknown.map(() => [404, 'USER_CODE_UNKNOWN']),
    );
    expect([polled.status, polled.body.success, polled.body.status]).toEqual([404, false, 'invalid']);
  });

  test('a code works however it is typed, also in the URL', async () => {
    const { browser, ask } = await startRequest(shared());
    const ways = [
      (code: string) => code.toLowerCase(),
      (code: string) => code.replace('-', ''),
      (code: string) => ` ${code} `,
      (code: string) => code.replace('-', '–').toLowerCase(),
    ];

    for (const write of ways) {
      const codes = await ask();
      const typed = write(codes.userCode);
      const page = await browser.page(`/authsvc/cli/device/${encodeURIComponent(typed)}`);
      const entered = await browser.page(`/authsvc/cli/device?user_code=${encodeURIComponent(typed)}`);
      const approved = await decide(browser, { ...codes, userCode: typed });
      expect([page.status, page.text.includes(codes.userCode)], typed).toEqual([200, true]);
      expect([entered.status, entered.headers.location]).toEqual([302, `/authsvc/cli/device/${codes.userCode}`]);
      expect(approved.body.status).toBe('approved');
    }
  });

  test('polling faster than the interval does no harm and gets a message', async () => {
    const { app, browser, program, codes } = await startRequest(shared());

    const replies = [await poll(program, codes), await poll(program, codes)];
    app.clock.advance(5000);
    replies.push(await poll(program, codes));
    await decide(browser, codes);
    const last = await poll(program, codes);

    expect(replies.map(outcome)).toEqual([PENDING, PENDING, PENDING]);
    expect(replies.map(({ body }) => body.interval)).toEqual([5, 5, 5]);
    expect(replies.map(({ body }) => String(body.message).includes('every 5 seconds'))).toEqual([false, true, false]);
    expect(outcome(last)).toEqual([200, true, 'approved', true]);
  });

  test('the request expires for the program and the person, before the approval and after it', async () => {
    const { app, person, browser, program, codes: pending, ask } = await startRequest(shared());
    const [approved, denied, late] = [await ask(), await ask(), await ask()];
    await decide(browser, approved);
    await decide(browser, denied, 'deny');

    app.clock.advance(899_000);
    const inTime = [await poll(program, pending), await decide(browser, late)];
    app.clock.advance(2000);
    const [ofPending, ofApproved, ofLate, ofDenied] = [
      await poll(program, pending),
      await poll(program, approved),
      await poll(program, late),
      await poll(program, denied),
    ];
    const decided = [await decide(browser, pending), await decide(browser, approved, 'deny')];
    const page = await browser.page(`/authsvc/cli/device/${pending.userCode}`);

    expect(inTime.map(({ body }) => body.status)).toEqual(['pending', 'approved']);
    expect([ofPending, ofApproved, ofLate].map((reply) => reply && outcome(reply))).toEqual([
      EXPIRED,
      EXPIRED,
      EXPIRED,
    ]);
    expect(ofDenied && outcome(ofDenied)).toEqual(DENIED);
    expect(decided.map(({ status, body }) => [status, body.status])).toEqual([
      [410, 'expired'],
      [410, 'expired'],
    ]);
    expect(page.status).toBe(410);
    expect(await tokensOf(app, person.id)).toEqual([]);
  });

  test('for a disabled profile no request can be started, and its open requests end, approved or not', async () => {
    const { app, profile, browser, program, codes: pending, ask } = await startRequest(shared());
    const approved = await ask();
    await decide(browser, approved);

    await setProfileState(app.change(), profile.key, false);
    const begun = await Promise.all(
      [{ profileKey: profile.key }, { profileId: profile.id }].map((by) =>
        program.post('/api/cli/device', { clientName: 'x', ...by }),
      ),
    );
    const polls = [await poll(program, pending), await poll(program, approved)];
    const decided = await decide(browser, pending);

    expect(begun.map(({ status, body }) => [status, body.code])).toEqual(Array(2).fill([400, 'PROFILE_UNKNOWN']));
    expect(polls.map(outcome)).toEqual([EXPIRED, EXPIRED]);
    expect(decided.status).toBe(410);
  });

  test('at the limit of tokens nothing can be approved, and approved tokens that were not fetched count towards the limit', async (t) => {
    const { app, browser, program, codes, ask } = await startRequest(
      await startApp(t, {
        database,
        settings: { MAX_TOKENS_PER_USER: '2' },
      }),
    );
    const { id } = await createToken(browser);
    const [second, third] = [await ask(), await ask()];

    const approved = await decide(browser, codes);
    const over = await decide(browser, second);
    const direct = await browser.post('/api/token', { name: 'one more' });
    const stillPending = await poll(program, second);
    await browser.delete(`/api/token/${id}`);
    const inRoom = await decide(browser, second);
    const fetched = [await poll(program, codes), await poll(program, second)];
    const full = await decide(browser, third);
    app.clock.advance(901_000);

    expect([approved.status, inRoom.status]).toEqual([200, 200]);
    for (const refused of [over, direct, full]) {
      expect([refused.status, refused.body.code]).toEqual([403, 'TOKEN_LIMIT_REACHED']);
    }
    expect(outcome(stillPending)).toEqual(PENDING);
    expect(fetched.map(({ body }) => body.status)).toEqual(['approved', 'approved']);
  });

  test('an approved token that is not fetched no longer counts against the limit when its request has expired', async (t) => {
    const { app, browser, codes, ask } = await startRequest(
      await startApp(t, { database, settings: { MAX_TOKENS_PER_USER: '1' } }),
    );
    await decide(browser, codes);

    app.clock.advance(901_000);
    const approved = await decide(browser, await ask());

    expect(approved.status).toBe(200);
  });

  test('if a person loses the right to a token before the program fetches it, the program gets none, and that is final', async (t) => {
    const { app, person, profile, browser, program, codes } = await startRequest(
      await startApp(t, {
        database,
        settings: { MAX_TOKENS_PER_USER: '2' },
      }),
    );
    const [root, gone] = [await app.seedUser({ role: 'superadmin' }), await app.seedUser()];
    const asRoot = await app.signIn(root);
    const [ofRoot, ofGone] = [await requestToken(program, profile.key), await requestToken(program, profile.key)];
    for (let made = 0; made < 3; made += 1) await createToken(asRoot);
    const approvals = [
      await decide(browser, codes),
      await decide(asRoot, ofRoot),
      await decide(await app.signIn(gone), ofGone),
    ];
    const { database: handle } = app.services;

    await changeUser(app.change(), person.username, { isActive: false });
    await changeUser(app.change(), root.username, { role: 'normaluser' });
    await deleteUser.run(handle, { id: gone.id });
    const polls = [];
    for (const one of [codes, ofRoot, ofGone]) polls.push(await poll(program, one));
    await changeUser(app.change(), person.username, { isActive: true });
    polls.push(await poll(program, codes));

    expect(approvals.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(polls.map(outcome)).toEqual([DENIED, DENIED, DENIED, DENIED]);
    expect(await tokensOf(app, person.id)).toEqual([]);
    expect(await tokensOf(app, root.id)).toHaveLength(3);
  });

  test('the token has no more applications than its user', async () => {
    const app = shared();
    const profile = await seedProfile(app, { apps: ['authsvc', 'payroll'] });
    const browser = await app.signIn(await app.seedUser());
    const codes = await requestToken(app.client(), profile.key);
    await decide(browser, codes);

    const { body } = await poll(app.client(), codes);
    const { body: proof } = await verify(app.client(), String(body.token));

    expect(proof.permissions).toMatchObject({ allowed_apps: ['authsvc'] });
  });

  test('neither code is in the database or in the log', async () => {
    const { app, browser, program, codes } = await startRequest(shared());
    await browser.page(`/authsvc/cli/device/${codes.userCode}`);
    await decide(browser, codes);
    const { body } = await poll(program, codes);

    const { kysely } = app.services.database;
    const rows = [
      await kysely.selectFrom('device_requests').selectAll().execute(),
      await kysely.selectFrom('api_tokens').selectAll().execute(),
    ];
    const kept = JSON.stringify(rows) + JSON.stringify(app.log());

    for (const secret of [codes.userCode, codes.userCode.replace('-', ''), codes.deviceCode, String(body.token)]) {
      expect(kept).not.toContain(secret);
    }
    expect(kept).toContain('device.approved');
  });

  test('without a session nothing can be decided, and the page reveals nothing about a code', async () => {
    const { app, codes } = await startRequest(shared());
    const anonymous = app.client();

    const decided = await decide(anonymous, codes);
    const pages = await Promise.all(
      [codes.userCode, 'ZZZZ-ZZZZ'].map((code) => anonymous.page(`/authsvc/cli/device/${code}`)),
    );

    expect(decided.status).toBe(401);
    expect(pages.map(({ status, text }) => [status, text])).toEqual([
      [302, ''],
      [302, ''],
    ]);
    expect(pages[0]?.headers.location).toBe(
      `/authsvc/login?redirect=${encodeURIComponent(`/authsvc/cli/device/${codes.userCode}`)}`,
    );
  });

  test('the page shows the request, and a separate state for every other case', async () => {
    const app = shared();
    const [profile, person] = [
      await seedProfile(app, { name: 'Backup & Co', scope: 'write', expiresInDays: 7 }),
      await app.seedUser(),
    ];
    const [browser, program] = [await app.signIn(person), app.client()];
    const show = async (userCode: string) => {
      const { status, text } = await browser.page(`/authsvc/cli/device/${encodeURIComponent(userCode)}`);
      const heading = /<h1 id="heading">(.*?)<\/h1>/.exec(text)?.[1]?.replaceAll(/<[^>]*>/g, '');
      return [status, heading, text] as const;
    };
    const reply = await program.post(
      '/api/cli/device',
      { clientName: 'tool <i id=x>', profileKey: profile.key },
      { address: '198.51.100.7' },
    );
    const codes = { userCode: String(reply.body.user_code), deviceCode: String(reply.body.device_code) };
    const [denied, expired] = [await requestToken(program, profile.key), await requestToken(program, profile.key)];

    const [status, heading, text] = await show(codes.userCode);
    const states = [];
    await decide(browser, denied, 'deny');
    states.push(await show(denied.userCode));
    await decide(browser, codes);
    states.push(await show(codes.userCode));
    await poll(program, codes);
    states.push(await show(codes.userCode), await show('ZZZZ-ZZZZ'), await show('\0<i id=x>'));
    app.clock.advance(901_000);
    states.push(await show(expired.userCode));
    const ask = await browser.page('/authsvc/cli/device');

    expect([status, heading]).toEqual([200, 'Let “tool &lt;i id=x&gt;” sign in?']);
    for (const shown of [
      'tool &lt;i id=x&gt;',
      'Backup &amp; Co',
      'can read and change your data',
      '7 days',
      '198.51.100.7',
      person.username,
      codes.userCode,
    ]) {
      expect(text).toContain(shown);
    }
    expect(states.map(([code]) => code)).toEqual([200, 200, 200, 404, 404, 410]);
    expect(new Set(states.map(([, title]) => title)).size).toBe(5);
    expect(states.map(([, , page]) => page).join('')).not.toContain('<i id=x>');
    expect([ask.status, ask.text.includes('name="user_code"')]).toEqual([200, true]);
  });

  test('requests are deleted a day after their end, and not before', async () => {
    const { app, program, codes } = await startRequest(shared());
    const tidy = () => clean({ database: app.services.database, now: app.clock.now }, [deleteOldRequests]);

    app.clock.advance(DAY);
    await tidy();
    const early = await poll(program, codes);
    app.clock.advance(901_000);
    await tidy();
    const late = await poll(program, codes);

    expect(outcome(early)).toEqual(EXPIRED);
    expect(late.status).toBe(404);
  });
});
