import { describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { freshDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { expectError, sharedApp } from './support.ts';

const logout = (client: Client, _csrf: unknown) => client.post('/authsvc/api/logout', { _csrf });

describe('the CSRF token', () => {
  const app = sharedApp({ database: 'sqlite' });
  const signedIn = async () => app().signIn(await app().seedUser());

  test('of this browser is accepted, from the login page and from the session page, before and after the sign-in', async () => {
    const user = await app().seedUser();
    for (const where of ['before', '/authsvc/login', '/authsvc/test', '/authsvc/']) {
      const client = app().client();
      const early = await client.csrf();
      await client.login(user);

      const reply = await logout(client, where === 'before' ? early : await client.csrf(where));

      expect([where, reply.status]).toEqual([where, 200]);
    }
  });

  test('is different on each page, and all of them stay valid', async () => {
    const client = await signedIn();
    const tokens = [await client.csrf(), await client.csrf(), await client.csrf('/authsvc/test')];

    expect(new Set(tokens).size).toBe(3);
    const [oldest] = tokens;
    expect((await logout(client, oldest)).status).toBe(200);
  });

  test('of another browser is refused, even if the same user is signed in there', async () => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    await client.csrf();

    for (const other of [app().client(), await app().signIn(user), await signedIn()]) {
      expectError(await logout(client, await other.csrf()), 'CSRF_INVALID');
    }
    expect(await client.isSignedIn()).toBe(true);
  });

  test('that a sibling host planted together with a cookie is refused, because it is not made with our key', async () => {
    const client = await signedIn();
    const secret = 'A'.repeat(43);
    client.jar.set('csrf_secret', secret);

    for (const forged of [secret, `${'A'.repeat(16)}.${secret}`, `${'A'.repeat(16)}.${'B'.repeat(43)}`]) {
      expectError(await logout(client, forged), 'CSRF_INVALID');
    }
  });

  test('that is missing, odd or changed is refused', async () => {
    const client = await signedIn();
    const right = await client.csrf();
    const odd = [
      undefined,
      null,
      '',
      7,
      true,
      [right],
      { token: right },
      'wrong',
      right.slice(1),
      `${right}x`,
      ` ${right}`,
    ];
    const flipped = [...right].map(
      (character, at) => right.slice(0, at) + (character === 'A' ? 'B' : 'A') + right.slice(at + 1),
    );

    // The last two bits of the last character are ignored, so this text decodes to the same bytes.
    const twin = right.slice(0, -1) + String.fromCharCode(right.charCodeAt(right.length - 1) + 1);

    for (const token of [...odd, ...flipped, twin]) expectError(await logout(client, token), 'CSRF_INVALID');
    expect((await logout(client, right)).status).toBe(200);
  });

  test('without its cookie is refused', async () => {
    const client = await signedIn();
    const token = await client.csrf();
    client.jar.delete('csrf_secret');

    expectError(await logout(client, token), 'CSRF_INVALID');
  });

  test('is accepted if the browser sends two CSRF cookies and the token belongs to either of them', async () => {
    const client = await signedIn();
    const token = await client.csrf();
    const secret = client.jar.get('csrf_secret') ?? '';
    client.jar.set('csrf_secret', `${'Z'.repeat(43)}; csrf_secret=${secret}`);

    expect((await logout(client, token)).status).toBe(200);
  });

  test('is not needed at the login, but checked if it is sent', async () => {
    const user = await app().seedUser();
    const login = (client: Client, _csrf: unknown) =>
      client.post('/authsvc/api/login', { username: user.username, password: user.password, _csrf });
    const client = app().client();
    const other = app().client();

    for (const token of ['wrong', '', null, 7, await other.csrf()]) {
      const reply = await login(client, token);
      expectError(reply, 'CSRF_INVALID');
      expect(reply.cookies).toEqual([]);
    }
    expect((await login(client, undefined)).status).toBe(200);
    expect((await login(client, await client.csrf())).status).toBe(200);
  });

  test('depends on a secret that a browser gets once, in a cookie that lasts as long as the browser runs', async () => {
    const client = app().client();
    const first = await client.page('/authsvc/login');
    const again = await client.page('/authsvc/login');

    const [cookie] = first.cookies.filter(({ name }) => name === 'csrf_secret');
    expect(cookie?.attributes).toEqual({ path: '/', httponly: true, samesite: 'Lax' });
    expect(again.cookies).toEqual([]);
  });
});

test('the CSRF token of an open page is still accepted after a rotation of the secret', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const [OLD, NEW] = ['an-old-session-secret-0123456789-abcdef', 'a-new-session-secret-0123456789-abcdef'];
  const before = await startApp(t, { database: fresh, settings: { SESSION_SECRET_KEY: OLD } });
  const after = await startApp(t, { database: fresh, settings: { SESSION_SECRET_KEY: `${NEW},${OLD}` } });
  const old = await before.signIn(await before.seedUser());
  const token = await old.csrf();
  const client = after.client();
  for (const [name, value] of old.jar) client.jar.set(name, value);

  expect((await logout(client, token)).status).toBe(200);
});
