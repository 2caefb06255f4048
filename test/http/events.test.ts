import { describe, expect, test } from 'vitest';
import { systemActor } from '../../src/events/actor.ts';
import type { AppEvent } from '../../src/events/event-types.ts';
import { recordEvent } from '../../src/events/record-event.ts';
import { type AccessLoss, onAccessLoss } from '../../src/events/subscriber.ts';
import { changePassword } from '../../src/users/change-password.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { findUser } from '../../src/users/find-user.ts';
import { setPasswordHash } from '../../src/users/queries.ts';
import { removeUser } from '../../src/users/remove-user.ts';
import { createToken, decide, requestToken, seedProfile } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { PASSWORD, type TestApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { breakWrites, dumpDatabase, sharedApp } from './support.ts';

/** Returns the type and details of the events about a user, in their order. */
const eventsOf = (app: TestApp, userId: number) =>
  app
    .log()
    .filter((line) => line.subject_id === userId && line.audit !== undefined)
    .map((line) => [line.audit, line.details]);

const by = (app: TestApp) => ({
  ...app.change(),
  passwords: app.services.passwords,
  application: app.services.settings,
});

eachDatabase('events', (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true', MAX_SESSIONS_PER_USER: '2' } });

  test('a sign-in is one event, with user, session, address and request', async () => {
    const user = await app().seedUser();
    const client = app().client();
    const headers = { 'user-agent': `Suite/1.0 \u00ad(audit) ${'x'.repeat(300)}`, 'x-forwarded-for': '192.0.2.77' };

    const reply = await client.request('POST', '/authsvc/api/login', {
      json: { username: user.username, password: PASSWORD },
      headers,
    });

    expect(reply.status).toBe(200);
    const line = app()
      .log()
      .findLast(({ audit }) => audit === 'user.signed_in');
    expect(line).toMatchObject({
      actor_type: 'user',
      actor_id: user.id,
      actor_name: user.username,
      subject_id: user.id,
      subject_name: user.username,
      session_ref: expect.stringMatching(/^[0-9a-f]{24}$/),
      address: '192.0.2.77',
      request_id: expect.stringMatching(/^[\w-]+$/),
      details: { method: 'password', second_factor: 'none', sessions_ended: 0 },
    });
    expect(String(line?.user_agent)).toMatch(/^Suite\/1\.0 /);
    expect(String(line?.user_agent).length).toBeLessThanOrEqual(255);
    const ids = (await dumpDatabase(app())).sessions?.map((row) => String(Object(JSON.parse(row)).id)) ?? [];
    expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) expect(JSON.stringify(app().log())).not.toContain(id);
  });

  test('the event of a sign-in names the second factor, and counts the sessions that the sign-in ended', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    const withCode = async (code: string) => {
      const browser = app().client();
      await browser.login(carol);
      expect((await sendCode(browser, code)).status).toBe(200);
    };
    await client.login(carol);
    expect((await sendCode(client, codeOf(app(), carol.secret), { trust_device: true })).status).toBe(200);
    await withCode(carol.recoveryCodes[0] ?? '');

    expect((await client.login(carol)).status).toBe(200);

    const signIns = eventsOf(app(), carol.id).filter(([type]) => type === 'user.signed_in');
    expect(signIns.map(([, details]) => details)).toEqual([
      { method: 'password', second_factor: 'totp', sessions_ended: 0 },
      { method: 'password', second_factor: 'recovery_code', sessions_ended: 0 },
      { method: 'password', second_factor: 'trusted_browser', sessions_ended: 1 },
    ]);
    const steps = eventsOf(app(), carol.id).filter(([type]) => type === 'sign_in.second_step');
    expect(steps).toEqual(Array.from({ length: 2 }, () => ['sign_in.second_step', { method: 'password' }]));
  });

  test('an account switch and a logout of all accounts are recorded for each user, with that user as the actor', async () => {
    const [ada, bob] = [await app().seedUser(), await app().seedUser()];
    const client = await app().signIn(ada);
    await client.login(bob);
    const { body } = await client.get('/authsvc/api/account-sessions');
    const [, target] = Array.isArray(body.accounts) ? body.accounts : [];
    await client.post('/authsvc/api/switch-session', { session_id: target.session_id });
    await client.post('/authsvc/api/logout-all');

    expect(eventsOf(app(), ada.id).slice(2)).toEqual([
      ['session.switched', {}],
      ['session.ended', { reason: 'logout_all', sessions: 1 }],
    ]);
    expect(eventsOf(app(), bob.id).slice(2)).toEqual([['session.ended', { reason: 'logout_all', sessions: 1 }]]);
    const ofBoth = app()
      .log()
      .filter(({ audit, subject_id: id }) => audit === 'session.ended' && (id === ada.id || id === bob.id));
    for (const line of ofBoth) expect([line.actor_type, line.actor_id]).toEqual(['user', line.subject_id]);
  });

  test('the events of a token and of an approved device login contain the id of the token', async () => {
    const user = await app().seedUser();
    const browser = await app().signIn(user);
    const { id, token } = await createToken(browser, { scope: 'write' });
    const { key } = await seedProfile(app());
    const codes = await requestToken(app().client(), key, 'laptop');
    const headers = { authorization: `Bearer ${token}` };
    const approval = { user_code: codes.userCode, action: 'approve' };
    await app().client().request('POST', '/api/cli/device/approve', { json: approval, headers });
    await decide(browser, await requestToken(app().client(), key, 'printer'), 'deny');
    for (let times = 0; times < 2; times += 1) await browser.delete(`/api/token/${id}`);

    const facts = { token_id: id, scope: 'write', expires_at: expect.stringMatching(/Z$/), way: 'self' };
    expect(eventsOf(app(), user.id).slice(2)).toEqual([
      ['token.created', facts],
      ['device.approved', { profile: key, client_name: 'laptop', token_id: id }],
      ['device.denied', { profile: key, client_name: 'printer' }],
      ['token.revoked', facts],
    ]);
    const approved = app()
      .log()
      .find(({ audit, subject_id }) => audit === 'device.approved' && subject_id === user.id);
    expect([approved?.actor_type, approved?.actor_id]).toEqual(['token', user.id]);
  });

  test('the event of a changed user names the fields, and contains only values that are not personal', async () => {
    const user = await app().seedUser({ apps: ['authsvc', 'wiki'] });
    await app().signIn(user);
    const change = { fullName: 'Private Name', role: 'superadmin', apps: ['authsvc'] } as const;
    await changeUser(app().change(), user.username, { ...change, apps: [...change.apps] });
    await changeUser(app().change(), user.username, { ...change, apps: [...change.apps], isActive: true });
    await changeUser(app().change(), user.username, { isActive: false });
    await changeUser(app().change(), user.username, { isActive: true });
    await removeUser(app().change(), user);

    expect(eventsOf(app(), user.id).slice(2)).toEqual([
      [
        'user.updated',
        {
          fields: ['full_name', 'role', 'allowed_apps'],
          from: { role: 'normaluser', allowed_apps: ['authsvc', 'wiki'] },
          to: { role: 'superadmin', allowed_apps: ['authsvc'] },
        },
      ],
      [
        'user.deactivated',
        { fields: ['is_active'], from: { is_active: true }, to: { is_active: false }, sessions_ended: 1 },
      ],
      ['user.reactivated', { fields: ['is_active'], from: { is_active: false }, to: { is_active: true } }],
      ['user.removed', { role: 'superadmin', sessions_ended: 0 }],
    ]);
    expect(JSON.stringify(app().log())).not.toContain('Private Name');
  });

  test('the event of a new password counts the sessions that ended with it', async () => {
    const user = await app().seedUser();
    const clients = [await app().signIn(user), await app().signIn(user)];

    await changePassword(by(app()), { user, password: 'another-horse-8', way: 'command' });

    expect(eventsOf(app(), user.id).at(-1)).toEqual(['password.changed', { way: 'command', sessions_ended: 2 }]);
    for (const client of clients) expect(await client.isSignedIn()).toBe(false);
  });

  test('a failing subscriber undoes the change, and no line is logged', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    const before = await findUser(app().services.database, user.username);
    const mend = await breakWrites(app(), 'sessions', 'delete');

    const change = changePassword(by(app()), { user, password: 'another-horse-8', way: 'command' });

    await expect(change).rejects.toThrow();
    await mend();
    expect(await findUser(app().services.database, user.username)).toEqual(before);
    expect(eventsOf(app(), user.id).map(([type]) => type)).not.toContain('password.changed');
    expect(await client.isSignedIn()).toBe(true);
  });

  test('an event of a transaction that fails later is not written', async () => {
    const user = await app().seedUser();
    const subject = { id: user.id, name: user.username };

    const work = app().services.database.transaction(async (tx) => {
      await setPasswordHash.run(tx, { id: user.id, hash: 'x' });
      await recordEvent(tx, { type: 'password.changed', actor: systemActor, subject, details: { way: 'self' } });
      throw new Error('on purpose');
    });

    await expect(work).rejects.toThrow('on purpose');
    expect(eventsOf(app(), user.id).map(([type]) => type)).toEqual(['user.created']);
  });
});

describe('subscribers to the loss of access', () => {
  const subject = { id: 7, name: 'ada' };
  const updated = (from: object, to: object, type: 'user.updated' | 'user.reactivated' = 'user.updated'): AppEvent => ({
    type,
    actor: systemActor,
    subject,
    details: { fields: [], from, to },
  });
  const factor = (kind: 'totp' | 'trusted_browser', change: 'added' | 'removed'): AppEvent => ({
    type: 'factor.changed',
    actor: systemActor,
    subject,
    details: { kind, change },
  });
  const cases: [string, AppEvent, AccessLoss | undefined][] = [
    ['a new password', { type: 'password.changed', actor: systemActor, subject, details: { way: 'self' } }, 'all'],
    [
      'the removal of the user',
      { type: 'user.removed', actor: systemActor, subject, details: { role: 'normaluser' } },
      'all',
    ],
    ['a new second factor', factor('totp', 'added'), 'second-factor'],
    ['the end of the second factor', factor('totp', 'removed'), 'second-factor'],
    ['the end of trust in browsers', factor('trusted_browser', 'removed'), undefined],
    ['a lower role', updated({ role: 'superadmin' }, { role: 'normaluser' }), 'rights'],
    ['another role', updated({ role: 'editor' }, { role: 'auditor' }), 'rights'],
    ['a reactivation with a lower role', updated({ role: 'editor' }, { role: 'x' }, 'user.reactivated'), 'rights'],
    ['a higher role', updated({ role: 'normaluser' }, { role: 'superadmin' }), undefined],
    ['fewer applications', updated({ allowed_apps: ['a', 'b'] }, { allowed_apps: ['b'] }), 'rights'],
    ['other applications', updated({ allowed_apps: ['a'] }, { allowed_apps: ['b'] }), 'rights'],
    ['more applications', updated({ allowed_apps: ['a'] }, { allowed_apps: ['A', 'b'] }), undefined],
    ['another name', updated({}, {}), undefined],
  ];

  test.each(cases)(
    'are called for %s only if it causes the loss that they subscribed to',
    async (_what, event, loss) => {
      const ended: AccessLoss[] = [];
      const all: readonly AccessLoss[] = ['all', 'second-factor', 'rights'];
      const subscribers = all.map((one) =>
        onAccessLoss([one], async () => {
          ended.push(one);
          return undefined;
        }),
      );

      for (const { onEvent } of subscribers) await onEvent(Object.create(null), event);

      expect(ended).toEqual(loss === undefined ? [] : [loss]);
    },
  );
});
