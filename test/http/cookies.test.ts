import { describe, expect, test } from 'vitest';
import type { Client, Reply } from '../support/client.ts';
import { sharedApp } from './support.ts';

const DEPLOYED = { IS_DEPLOYED: 'true', BASE_URL: 'https://auth.example.test' };
const cookiesOf = (replies: Reply[]) => replies.flatMap(({ cookies }) => cookies);

/** Sends every request of a password sign-in and sign-out that sets or clears a cookie. */
async function wholeLife(client: Client, user: { username: string; password: string }): Promise<Reply[]> {
  const page = await client.page('/authsvc/login');
  const _csrf = /name="_csrf" value="([^"]*)"/.exec(page.text)?.[1];
  return [page, await client.login(user), await client.post('/authsvc/api/logout', { _csrf })];
}

describe('cookies of a service that is deployed', () => {
  const app = sharedApp({ database: 'sqlite', settings: { ...DEPLOYED, DOMAIN: '.Example.test' } });
  const alone = sharedApp({ database: 'sqlite', settings: DEPLOYED });

  test('all are Secure, SameSite=Lax and Path=/; only the shared one has a Domain, and all others have the __Host- prefix', async () => {
    const user = await app().seedUser();

    const cookies = cookiesOf(await wholeLife(app().client(), user));

    const names = [...new Set(cookies.map(({ name }) => name))];
    expect(names).toEqual(expect.arrayContaining(['session_id', '__Host-csrf_secret', '__Host-last_login_method']));
    for (const { name, attributes, isCleared } of cookies) {
      expect(attributes).toMatchObject({ path: '/', samesite: 'Lax', secure: true });
      if (!isCleared) {
        expect([name, attributes.domain]).toEqual([name, name === 'session_id' ? '.example.test' : undefined]);
      }
      expect([name, name.startsWith('__Host-')]).toEqual([name, name !== 'session_id']);
      expect([name, attributes.httponly]).toEqual([name, name.includes('last_login_method') ? undefined : true]);
    }
  });

  test('a sign-out clears the session cookie with its original attributes, for each domain that it may have', async () => {
    const user = await app().seedUser();

    const [set, ...cleared] = cookiesOf(await wholeLife(app().client(), user)).filter(
      ({ name }) => name === 'session_id',
    );

    const lasting = ({ attributes }: Pick<Reply['cookies'][number], 'attributes'>) => {
      const { expires, 'max-age': age, domain, ...rest } = attributes;
      return rest;
    };
    expect(set?.isCleared).toBe(false);
    expect(cleared.map(({ isCleared }) => isCleared)).toEqual([true, true, true]);
    expect(cleared.map(({ attributes }) => attributes.domain)).toEqual([
      undefined,
      '.auth.example.test',
      '.example.test',
    ]);
    for (const cookie of cleared) expect(lasting(cookie)).toEqual(set && lasting(set));
  });

  test('a cookie without the __Host- prefix does not replace the cookie with the prefix', async () => {
    const client = await app().signIn(await app().seedUser());
    const token = await client.csrf();
    client.jar.set('csrf_secret', client.jar.get('__Host-csrf_secret') ?? '');
    client.jar.delete('__Host-csrf_secret');

    expect((await client.post('/authsvc/api/logout', { _csrf: token })).status).toBe(403);
  });

  test('without DOMAIN no cookie has a Domain', async () => {
    for (const { attributes, isCleared } of cookiesOf(await wholeLife(alone().client(), await alone().seedUser()))) {
      expect(attributes.secure).toBe(true);
      if (!isCleared) expect(attributes.domain).toBeUndefined();
    }
  });
});

describe('cookies of a service that is not deployed', () => {
  const app = sharedApp({ database: 'sqlite', settings: { DOMAIN: 'example.test' } });

  test('are not Secure, and have neither a Domain nor a prefix', async () => {
    for (const { name, attributes } of cookiesOf(await wholeLife(app().client(), await app().seedUser()))) {
      expect(name).not.toContain('__');
      expect([attributes.secure, attributes.domain]).toEqual([undefined, undefined]);
    }
  });
});

describe('what a browser sends', () => {
  const app = sharedApp({ database: 'sqlite' });

  test.each([
    ['an invalid one first', (live: string) => `session_id=dead; session_id=${live}`],
    ['an invalid one last', (live: string) => `session_id=${live}; session_id=dead`],
    ['that of an ended session first', (live: string, ended: string) => `session_id=${ended}; session_id=${live}`],
    ['four invalid ones first', (live: string) => `${'0123'.replace(/./g, 'session_id=dead$&; ')}session_id=${live}`],
    ['an empty one first', (live: string) => `session_id=; session_id=${live}`],
    ['with other cookies around', (live: string) => `a=b; xsession_id=1; session_id=${live}; session_idx=2; ;=;`],
  ])('of several session cookies (%s), the valid one is used', async (_what, header) => {
    const user = await app().seedUser();
    const over = await app().signIn(user);
    const ended = over.jar.get('session_id') ?? '';
    await over.logout();
    const client = await app().signIn(user);
    const token = await client.csrf();
    const cookie = `${header(client.jar.get('session_id') ?? '', ended)}; csrf_secret=${client.jar.get('csrf_secret')}`;
    const headers = { cookie };

    expect((await app().client().get('/authsvc/api/checkSession', { headers })).body.session_valid).toBe(true);
    expect((await app().client().page('/authsvc/test', { headers })).text).toContain(user.username);
    const reply = await app().client().post('/authsvc/api/logout', { _csrf: token }, { headers });

    expect(reply.status).toBe(200);
    expect(await client.isSignedIn()).toBe(false);
  });

  test('hundreds of invalid session cookies mean that there is no session, and do no harm', async () => {
    const cookie = Array.from({ length: 400 }, (_, at) => `session_id=v1.dead${at}`).join('; ');

    const reply = await app().client().get('/authsvc/api/checkSession', { headers: { cookie } });

    expect(reply.body).toEqual({ session_valid: false, expiry: null });
  });

  test.each([
    '%',
    '%E0%A4%A',
    '%00',
    '""',
    '{}',
    'x'.repeat(900),
    's%3Aabc.def',
    'j%3A%7B%22a%22%3A1%7D',
    'undefined',
    '..%2F..',
  ])('the value %s in every cookie does no harm, and a sign-in replaces it', async (value) => {
    const user = await app().seedUser();
    const client = await app().signIn(user);
    await client.csrf();
    for (const name of client.jar.keys()) client.jar.set(name, value);

    expect((await client.get('/authsvc/api/checkSession')).body).toEqual({ session_valid: false, expiry: null });
    expect((await client.page('/authsvc/test')).status).toBe(302);
    expect((await client.page('/authsvc/login')).status).toBe(200);
    expect((await client.login(user)).status).toBe(200);
    expect(await client.isSignedIn()).toBe(true);
  });

  test.each([';;;', '=', 'session_id', 'session_id=', '; ; =x', '__proto__=1; constructor=2; toString=3'])(
    'the header %j does no harm',
    async (cookie) => {
      const reply = await app().client().get('/authsvc/api/checkSession', { headers: { cookie } });

      expect(reply.body).toEqual({ session_valid: false, expiry: null });
    },
  );

  test('no cookie is larger than 4096 bytes, and none lasts longer than 400 days', async () => {
    const user = await app().seedUser({ username: 'ü'.repeat(255), fullName: '🐎'.repeat(255) });

    for (const { line, attributes } of cookiesOf(await wholeLife(app().client(), user))) {
      expect(Buffer.byteLength(line)).toBeLessThan(4096);
      expect(Number(attributes['max-age'] ?? 0)).toBeLessThanOrEqual(34_560_000);
    }
  });
});
