import { expect, test } from 'vitest';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { expectError } from './support.ts';

const PATH = '/authsvc/api/admin/overview';
const DAY_MS = 86_400_000;

eachDatabase("the superadmins' overview", (database) => {
  test('counts users, sessions, sign-ins, refusals and problems, and is at most ten seconds old', async (t) => {
    const app = await startApp(t, { database });
    const root = await app.seedUser({ username: 'root', role: 'superadmin' });
    const ada = await app.seedUser({ username: 'ada' });
    await app.seedUser({ isInactive: true });
    await app.signIn(ada);
    app.clock.advance(DAY_MS);
    const admin = await app.signIn(root);
    await createToken(admin, { expiresDays: 3 });
    await createToken(admin, { expiresDays: 30 });
    for (const name of ['ada', 'ada', 'unknown'])
      await app.client().login({ username: name, password: 'wrong-horse-7' });
    await expect
      .poll(async () => {
        app.clock.advance(10_000);
        return (await admin.get(PATH)).body.refusals;
      })
      .toEqual([
        { reason: 'PASSWORD_INCORRECT', count: 2 },
        { reason: 'USER_UNKNOWN', count: 1 },
      ]);

    const { body } = await admin.get(PATH);

    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    const yesterday = new Date(app.clock.now() - DAY_MS).toISOString().slice(0, 10);
    expect(body).toMatchObject({
      users: { total: 4, active: 3, superadmins: 2 },
      sessions: { active: 2 },
      hash_queue: { waiting: 0 },
      database: { kind: database, up: true },
      change_feed: { up: expect.any(Boolean) },
      attention: [
        { kind: 'superadmin_without_second_factor', count: 2 },
        { kind: 'token_expiring', count: 1 },
      ],
    });
    const signIns = Array.isArray(body.sign_ins) ? body.sign_ins : [];
    expect(signIns).toHaveLength(30);
    expect(signIns.slice(-2)).toEqual([
      { date: yesterday, count: 1 },
      { date: today, count: 1 },
    ]);
    await app.signIn(ada);
    expect((await admin.get(PATH)).body).toEqual(body);
    app.clock.advance(10_000);
    expect((await admin.get(PATH)).body).toMatchObject({ sessions: { active: 3 } });
    app.clock.advance(29 * DAY_MS);
    const later = await app.signIn(root);
    const { body: month } = await later.get(PATH);
    expect((Array.isArray(month.sign_ins) ? month.sign_ins : [])[0]).toEqual({ date: today, count: 2 });
  });

  test('is only for superadmins', async (t) => {
    const app = await startApp(t, { database });
    expectError(await app.client().get(PATH), 'NOT_SIGNED_IN');
    expectError(await (await app.signIn(await app.seedUser())).get(PATH), 'SUPERADMIN_REQUIRED');
  });
});
