import { expect, test } from 'vitest';
import { createToken, verify } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { change, unconfirmed } from '../support/my-account.ts';
import { PASSWORD } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { expectError, sharedApp } from './support.ts';

const NEXT = 'another-horse-8';
const right = { current_password: PASSWORD, new_password: NEXT };

eachDatabase("the user's own password", (database) => {
  const app = sharedApp({ database, settings: { AUTHSVC_TWO_FA_ENABLE: 'true' } });

  test('a new one ends the other sessions; this session gets another id, is confirmed, and stays in the list of accounts', async () => {
    const ada = await app().seedUser();
    const [here, other] = [await unconfirmed(app(), ada), await app().signIn(ada)];
    const copy = here.clone();

    expect((await change(here, 'POST', '/password', right)).body).toEqual({ success: true, tokens: 0 });

    expect([await here.isSignedIn(), await copy.isSignedIn(), await other.isSignedIn()]).toEqual([true, false, false]);
    const { accounts, current_session_id: id } = (await here.get('/authsvc/api/account-sessions')).body;
    expect(accounts).toContainEqual(
      expect.objectContaining({ username: ada.username, session_id: id, is_current: true }),
    );
    expect((await change(here, 'POST', '/totp')).status).toBe(200);
    expect((await app().client().login(ada)).status).toBe(401);
    expect(
      (
        await app()
          .client()
          .login({ ...ada, password: NEXT })
      ).status,
    ).toBe(200);
  });

  test('API tokens stay valid, unless the user wants to end them', async () => {
    const client = await app().signIn(await app().seedUser());
    const [one, two] = [await createToken(client), await createToken(client)];

    expect((await change(client, 'POST', '/password', right)).body.tokens).toBe(2);
    expect((await verify(client, one.token)).body.tokenValid).toBe(true);
    const again = { current_password: NEXT, new_password: `${NEXT}9`, end_tokens: true };
    expect((await change(client, 'POST', '/password', again)).body.tokens).toBe(2);

    for (const { token } of [one, two]) expect((await verify(client, token)).body.tokenValid).toBe(false);
    expect((await client.get('/authsvc/api/account/tokens')).body.tokens).toEqual([]);
  });

  test('stays the same if the new one is refused', async () => {
    const ada = await app().seedUser();
    const [here, other] = [await app().signIn(ada), await app().signIn(ada)];
    const send = (json: object) => change(here, 'POST', '/password', json);

    expectError(
      await send({ ...right, current_password: 'wrong-horse-1' }),
      'CURRENT_PASSWORD_INCORRECT',
      'current_password',
    );
    expectError(await send({ ...right, new_password: 'short' }), 'PASSWORD_TOO_SHORT', 'new_password');
    expectError(await send({ ...right, new_password: 'x'.repeat(256) }), 'PASSWORD_TOO_LONG', 'new_password');
    expectError(await send({ ...right, new_password: ada.username }), 'PASSWORD_TOO_COMMON', 'new_password');
    expectError(await send({ ...right, new_password: PASSWORD }), 'PASSWORD_UNCHANGED', 'new_password');
    expectError(await send({ new_password: NEXT }), 'MISSING_REQUIRED_FIELD', 'current_password');
    expectError(await here.post('/authsvc/api/account/password', right), 'CSRF_INVALID');

    expect([await here.isSignedIn(), await other.isSignedIn()]).toEqual([true, true]);
    expect((await app().client().login(ada)).status).toBe(200);
  });

  test('with a second factor a change needs a confirmation too, and ends trusted browsers', async () => {
    const carol = await seedSecondFactorUser(app());
    const client = app().client();
    await client.login(carol);
    await sendCode(client, codeOf(app(), carol.secret, -1), { trust_device: true });
    const trusting = client.clone();
    await trusting.login(carol);
    expect((await change(trusting, 'POST', '/password', right)).body.code).toBe('CONFIRMATION_REQUIRED');
    await change(trusting, 'POST', '/confirm', { token: codeOf(app(), carol.secret) });

    expect((await change(trusting, 'POST', '/password', right)).status).toBe(200);

    const next = trusting.clone();
    expect((await next.login({ ...carol, password: NEXT })).body.two_factor_required).toBe(true);
  });

  test('only one of two simultaneous changes succeeds', async () => {
    const ada = await app().seedUser();
    const [one, two] = [await app().signIn(ada), await app().signIn(ada)];

    const replies = await Promise.all([
      change(one, 'POST', '/password', right),
      change(two, 'POST', '/password', { ...right, new_password: `${NEXT}9` }),
    ]);

    expect(replies.map(({ status }) => status).sort()).toEqual([200, expect.toBeOneOf([401, 403])]);
    expect([await one.isSignedIn(), await two.isSignedIn()].filter(Boolean)).toHaveLength(1);
  });

  test('the well-known URL for changing the password redirects to the page of the password', async () => {
    const { status, headers } = await app().client().page('/.well-known/change-password');

    expect([status, headers.location]).toEqual([302, '/authsvc/account/password']);
  });
});
