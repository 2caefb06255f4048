import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from '../../src/lib/sealing.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase, type FreshDatabase, freshDatabase } from '../support/each-database.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { codeOf, type SecondFactorUser, seedSecondFactorUser, sendCode } from '../support/totp.ts';

const [OLD, NEW] = ['an-old-session-secret-0123456789-abcdef', 'a-new-session-secret-0123456789-abcdef'];

type Owner = Parameters<typeof startApp>[0];

const start = (t: Owner, database: FreshDatabase, SESSION_SECRET_KEY: string) =>
  startApp(t, { database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true', SESSION_SECRET_KEY } });

async function sharedDatabase(t: Owner, kind: Parameters<typeof freshDatabase>[0]) {
  const database = await freshDatabase(kind);
  t.onTestFinished(database.drop);
  return database;
}

/** Copies the cookies of a browser to a browser that uses another service. */
function atService(app: TestApp, browser: Client): Client {
  const client = app.client();
  for (const [name, value] of browser.jar) client.jar.set(name, value);
  return client;
}

async function trustingBrowser(app: TestApp, user: SecondFactorUser): Promise<Client> {
  const client = app.client();
  await client.login(user);
  await sendCode(client, codeOf(app, user.secret), { trust_device: true });
  return client;
}

async function signInBy(app: TestApp, user: SecondFactorUser, code: string) {
  const client = app.client();
  await client.login(user);
  return sendCode(client, code);
}

/** Replaces data by what a version without data keys would have written: sealed and hashed with the session secret. */
async function asBeforeDataKeys(app: TestApp, user: SecondFactorUser, secret: string): Promise<void> {
  const { kysely } = app.services.database;
  const sealer = createSealer([secret]);
  await kysely
    .updateTable('totp_factors')
    .set({ secret: sealer.seal('totp secret', user.secret), key_id: null })
    .where('user_id', '=', user.id)
    .execute();
  await kysely.deleteFrom('recovery_codes').where('user_id', '=', user.id).execute();
  const [key] = sealer.keys('recovery code');
  for (const code of user.recoveryCodes) {
    const hash = createHmac('sha256', key ?? '')
      .update(`${user.id} ${code.replace('-', '')}`)
      .digest('hex');
    await kysely.insertInto('recovery_codes').values({ code_hash: hash, user_id: user.id, key_id: null }).execute();
  }
}

eachDatabase('replacing SESSION_SECRET_KEY', (kind) => {
  test('keeps second factors, recovery codes and trusted browsers of users who did not sign in meanwhile', async (t) => {
    const database = await sharedDatabase(t, kind);
    const before = await start(t, database, OLD);
    const users = [await seedSecondFactorUser(before), await seedSecondFactorUser(before)];
    const [carol, dave] = users;
    if (!carol || !dave) throw new Error('no users');
    const trusting = await trustingBrowser(before, dave);

    await start(t, database, `${NEW},${OLD}`);
    const after = await start(t, database, NEW);

    expect((await signInBy(after, carol, codeOf(after, carol.secret))).status).toBe(200);
    expect((await signInBy(after, carol, carol.recoveryCodes[0] ?? '')).status).toBe(200);
    const reply = await atService(after, trusting).login(dave);
    expect(reply.body).toMatchObject({ success: true, message: 'Login successful' });
  });

  test('keeps data that the session secret itself sealed before there were data keys', async (t) => {
    const database = await sharedDatabase(t, kind);
    const before = await start(t, database, OLD);
    const carol = await seedSecondFactorUser(before);
    const trusting = await trustingBrowser(before, carol);
    const { dataSealer } = before.services;
    const trust = dataSealer.open('cookie trusted_device', trusting.jar.get('trusted_device') ?? '') ?? '';
    trusting.jar.set('trusted_device', createSealer([OLD]).seal('cookie trusted_device', trust));
    await asBeforeDataKeys(before, carol, OLD);
    await before.services.database.kysely.deleteFrom('data_keys').execute();

    const rotating = await start(t, database, `${NEW},${OLD}`);
    const renewed = atService(rotating, trusting);
    expect((await renewed.login(carol)).body.two_factor_required).toBeUndefined();
    const after = await start(t, database, NEW);

    expect((await signInBy(after, carol, codeOf(after, carol.secret, 1))).status).toBe(200);
    for (const code of carol.recoveryCodes.slice(0, 2)) expect((await signInBy(after, carol, code)).status).toBe(200);
    expect((await signInBy(after, carol, carol.recoveryCodes[0] ?? '')).status).toBe(401);
    expect((await atService(after, renewed).login(carol)).body.two_factor_required).toBeUndefined();
  });

  test('without the old secret makes the start report how many users are affected, until the old secret is restored', async (t) => {
    const database = await sharedDatabase(t, kind);
    const before = await start(t, database, OLD);
    const [carol, dave] = [await seedSecondFactorUser(before), await seedSecondFactorUser(before)];
    expect(before.log().filter(({ level }) => level === 'error')).toEqual([]);

    const lost = await start(t, database, NEW);
    const line = lost.log().find(({ level }) => level === 'error');
    expect(line).toMatchObject({ users: 2 });
    expect(line?.msg).toMatch(/SESSION_SECRET_KEY=NEW,OLD.*2fa list --unreadable/);
    const refused = await signInBy(lost, carol, codeOf(lost, carol.secret));
    expect([refused.status, refused.body.message]).toEqual([500, '2FA is not configured correctly.']);
    const erin = await seedSecondFactorUser(lost);
    expect((await signInBy(lost, erin, codeOf(lost, erin.secret))).status).toBe(200);

    const found = await start(t, database, `${NEW},${OLD}`);
    const after = await start(t, database, NEW);
    for (const app of [found, after]) expect(app.log().filter(({ level }) => level === 'error')).toEqual([]);
    expect((await signInBy(after, carol, codeOf(after, carol.secret))).status).toBe(200);
    expect((await signInBy(after, dave, dave.recoveryCodes[0] ?? '')).status).toBe(200);
    expect((await signInBy(after, erin, codeOf(after, erin.secret, 1))).status).toBe(200);
  });

  test('a recovery code signs in although the secret of the app cannot be read', async (t) => {
    const database = await sharedDatabase(t, kind);
    const app = await start(t, database, OLD);
    const carol = await seedSecondFactorUser(app);
    await app.services.database.kysely.updateTable('totp_factors').set({ secret: 'v1.damaged' }).execute();

    expect((await signInBy(app, carol, codeOf(app, carol.secret))).status).toBe(500);
    expect((await signInBy(app, carol, carol.recoveryCodes[0] ?? '')).status).toBe(200);
  });
});
