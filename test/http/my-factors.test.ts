import { expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import { accountOf, change, unconfirmed } from '../support/my-account.ts';
import { startApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode, wrongCode } from '../support/totp.ts';
import { expectError, sharedApp } from './support.ts';

const settings = { AUTHSVC_TWO_FA_ENABLE: 'true' };

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

eachDatabase("second factors of the user's own account", (database) => {
  const app = sharedApp({ database, settings });

  /** Creates a client of a user with a second factor, and its unused recovery codes. */
  async function withFactor() {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret, -1));
    return { carol, client };
  }

  async function completes(client: Client, code: string): Promise<number> {
    return (await sendCode(client, code)).status;
  }

  test('a new authenticator app is a draft, and not a second factor, until one of its codes is verified', async () => {
    const ada = await app().seedUser();
    const client = await app().signIn(ada);

    const draft = (await change(client, 'POST', '/totp')).body;
    const secret = String(draft.secret);
    expectError(
      await change(client, 'POST', '/totp/verify', { token: wrongCode(app(), secret) }),
      'TOTP_CODE_INCORRECT',
    );
    expect((await accountOf(client)).two_factor_enabled).toBe(false);
    const verified = await change(client, 'POST', '/totp/verify', { token: codeOf(app(), secret) });

    expect(textsOf(verified.body.recovery_codes)).toHaveLength(10);
    expect(await accountOf(client)).toMatchObject({ two_factor_enabled: true, recovery_codes_left: 10 });
    expect(String(draft.qr_svg)).toMatch(/^<svg/);
    expectError(await change(client, 'POST', '/totp/verify', { token: codeOf(app(), secret, 1) }), 'TOTP_NOT_STARTED');
  });

  test('new recovery codes replace the old ones, and require a second factor', async () => {
    const { carol, client } = await withFactor();

    const codes = textsOf((await change(client, 'POST', '/recovery-codes')).body.recovery_codes);

    expect(new Set([...codes, ...carol.recoveryCodes]).size).toBe(20);
    const next = app().client();
    await next.login(carol);
    expect(await completes(next, carol.recoveryCodes[0] ?? '')).toBe(401);
    expect(await completes(next, codes[0] ?? '')).toBe(200);
    const without = await app().signIn(await app().seedUser());
    expectError(await change(without, 'POST', '/recovery-codes'), 'TWO_FACTOR_NOT_ON');
  });

  test('turning the factor off ends recovery codes, trusted browsers and unfinished sign-ins', async () => {
    const { carol, client } = await withFactor();
    const waiting = app().client();
    await waiting.login(carol);

    expect((await change(client, 'DELETE', '/totp')).body).toEqual({ success: true });

    expect(await accountOf(client)).toMatchObject({ two_factor_enabled: false, recovery_codes_left: 0 });
    expect(await completes(waiting, carol.recoveryCodes[0] ?? '')).toBe(401);
    expect((await app().client().login(carol)).body.two_factor_required).toBeUndefined();
    expectError(await change(client, 'DELETE', '/totp'), 'TWO_FACTOR_NOT_ON');
  });

  test('each change needs a confirmation', async () => {
    const client = await unconfirmed(app(), await app().seedUser());

    for (const [method, path] of [
      ['POST', '/totp'],
      ['DELETE', '/totp'],
      ['POST', '/recovery-codes'],
    ] as const)
      expect((await change(client, method, path)).body.code).toBe('CONFIRMATION_REQUIRED');
  });

  test('without AUTHSVC_TWO_FA_ENABLE the routes do not exist', async (t) => {
    const off = await startApp(t, { database });
    const client = await off.signIn(await off.seedUser());

    for (const [method, path] of [
      ['POST', '/totp'],
      ['DELETE', '/totp'],
      ['POST', '/recovery-codes'],
    ] as const)
      expectError(await change(client, method, path), 'TWO_FACTOR_OFF');
    expectError(await change(client, 'POST', '/totp/verify', { token: '123456' }), 'TWO_FACTOR_OFF');
  });
});
