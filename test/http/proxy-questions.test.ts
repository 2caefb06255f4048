import { request } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { addApplication } from '../../src/applications/add-application.ts';
import { changeApplication } from '../../src/applications/change-application.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { whileSessionsAreAway } from '../support/table-away.ts';
import { sharedApp } from './support.ts';

/** The request of a visitor that a proxy asks about. */
interface Visit {
  method?: string;
  scheme?: string;
  host?: string;
  path?: string;
}

interface Asked {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
}

const HOST = 'wiki.example.test';
const whole = ({ method = 'GET', scheme = 'https', host = HOST, path = '/' }: Visit) => ({
  method,
  scheme,
  host,
  path,
});

/**
 * The check request that each proxy sends for a visit, according to its documentation. `query` is appended to the path of
 * the route.
 */
const proxies: Record<string, (visit: Visit, key: string | undefined, query?: string) => Asked> = {
  'Caddy and Traefik': (visit, key, query = '') => {
    const { method, scheme, host, path } = whole(visit);
    return {
      method: 'GET',
      path: `/authsvc/api/authz/forward-auth?${key === undefined ? '' : `app=${key}`}${query}`,
      headers: {
        ...{ 'x-forwarded-method': method, 'x-forwarded-proto': scheme },
        ...{ 'x-forwarded-host': host, 'x-forwarded-uri': path, 'x-forwarded-for': '192.0.2.7' },
      },
    };
  },
  'nginx and HAProxy': (visit, key, query = '') => {
    const { method, scheme, host, path } = whole(visit);
    return {
      method: 'GET',
      path: `/authsvc/api/authz/auth-request?${key === undefined ? '' : `app=${key}`}${query}`,
      headers: { 'x-original-method': method, 'x-original-url': `${scheme}://${host}${path}` },
    };
  },
  Envoy: (visit, key = '-') => {
    const { method, scheme, host, path } = whole(visit);
    return {
      method,
      path: `/authsvc/api/authz/ext-authz/${key}${path}`,
      headers: { host, 'x-forwarded-proto': scheme, 'x-forwarded-for': '192.0.2.7', 'content-length': '0' },
    };
  },
};

const NAVIGATION = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };
const IDENTITY = ['remote-user', 'remote-name', 'remote-groups', 'remote-email', 'remote-user-id', 'x-authsvc-expires'];

describe.each(Object.entries(proxies))('with %s', (name, asks) => {
  eachDatabase('a check request', (database) => {
    const app = sharedApp({ database, settings: { TRUST_PROXY: 'loopback' } });
    let isReady = false;

    async function prepare() {
      if (isReady) return;
      isReady = true;
      for (const [key, roles] of [
        ['wiki', []],
        ['editors', ['superadmin']],
        ['closed', []],
      ] as const) {
        const urls = [key === 'wiki' ? `https://${HOST}` : `https://${key}.example.test`];
        await addApplication(app().change(), app().services.settings, { key, name: key, urls, roles: [...roles] });
      }
      await changeApplication(app().change(), app().services.settings, 'closed', { isActive: false });
    }

    interface Answer {
      status: number;
      headers: Record<string, string | string[] | undefined>;
      text: string;
    }

    const send = ({ method, path, headers }: Asked, more: Record<string, string | string[]> = {}): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const options = {
          host: '127.0.0.1',
          port: app().port,
          method,
          path,
          headers: { ...headers, ...more },
          agent: false,
        };
        request(options, async (reply) => {
          const text = (await reply.toArray()).join('');
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text });
        })
          .on('error', reject)
          .end();
      });

    const cookieOf = async (fields: { apps?: string[]; role?: 'superadmin' } = {}) => {
      const user = await app().seedUser({ apps: ['authsvc', 'wiki', 'editors'], ...fields });
      const client = await app().signIn(user);
      return { user, client, cookie: `session_id=${client.jar.get('session_id')}` };
    };

    test('gets the data of the signed-in person in every identity header, for any method and any path', async () => {
      await prepare();
      const { user, cookie } = await cookieOf();

      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])
        for (const path of [
          '/',
          '/a%2Fb/../c?q=C%2B%2B&r=%26&q=2#',
          '//host/x',
          '/%00',
          '/x?redirect=https://evil.example/',
        ]) {
          const { status, headers, text } = await send(asks({ method, path }, 'wiki'), { cookie });
          expect([method, path, status, text]).toEqual([method, path, 200, '']);
          expect(IDENTITY.map((header) => typeof headers[header])).toEqual(IDENTITY.map(() => 'string'));
          expect([headers['remote-user'], headers['remote-user-id']]).toEqual([user.username, String(user.id)]);
          expect([headers['set-cookie'], headers['cache-control']]).toEqual([undefined, 'no-store']);
        }
    });

    test('for a visitor without a session is redirected to the sign-in page if it is for a page, and else gets 401', async () => {
      await prepare();
      const path = '/a%2Fb?x=1&y=%26&x=2';
      const page = await send(asks({ path }, 'wiki'), NAVIGATION);
      const redirect = encodeURIComponent(`https://${HOST}${path}`);

      expect(page.status).toBe(name === 'nginx and HAProxy' ? 401 : 302);
      expect(page.headers.location).toBe(`${app().services.baseUrl()}/authsvc/login?redirect=${redirect}`);
      const others: [Visit, Record<string, string>][] = [
        [{ path }, { accept: 'application/json' }],
        [{ path }, { ...NAVIGATION, 'sec-fetch-mode': 'cors' }],
        [{ path }, { ...NAVIGATION, 'x-requested-with': 'XMLHttpRequest' }],
        [{ path, method: 'POST' }, NAVIGATION],
        [{ path, method: 'PUT' }, NAVIGATION],
        [{ path }, {}],
      ];
      for (const [visit, headers] of others) {
        const { status, headers: replied } = await send(asks(visit, 'wiki'), headers);
        expect([headers, status, replied.location]).toEqual([headers, 401, undefined]);
        expect(String(replied['www-authenticate'])).toMatch(/^Bearer/);
      }
    });

    test('for a host without an application gets no return address', async () => {
      await prepare();
      for (const host of ['evil.example', `${HOST}.evil.example`, `evil${HOST}`, `${HOST}:444`]) {
        const { headers } = await send(asks({ host }, 'wiki'), NAVIGATION);
        expect([host, headers.location]).toEqual([host, `${app().services.baseUrl()}/authsvc/login`]);
      }
    });

    test.each<[Visit, string]>([
      [{ scheme: 'ftp' }, 'another scheme'],
      [{ scheme: 'javascript' }, 'a script'],
      [{ scheme: 'https,http' }, 'two schemes'],
      [{ host: 'user@wiki.example.test' }, 'a user in the host'],
      [{ host: 'wiki.example.test, evil.example' }, 'two hosts'],
      [{ host: 'wiki.example.test:port' }, 'no port'],
      [{ host: 'wiki.example.t\u00e9st' }, 'bytes beyond ASCII'],
      [{ host: '.' }, 'no name'],
      [{ method: 'GE T' }, 'no method'],
    ])('with %o is refused: %s', async (visit) => {
      await prepare();
      const asked = asks(visit, 'wiki');
      if (name === 'Envoy' && visit.method) return;

      const { status, text } = await send(asked, { ...NAVIGATION, accept: 'application/json' });

      expect(status).toBe(400);
      if (asked.headers.host === undefined) expect(JSON.parse(text).code).toBe('ORIGINAL_REQUEST_INVALID');
    });

    test('with a WebSocket scheme is treated like the scheme of a page', async () => {
      await prepare();
      const { cookie } = await cookieOf();
      for (const scheme of ['wss', 'WSS', 'HTTPS']) {
        expect([scheme, (await send(asks({ scheme }, undefined), { cookie })).status]).toEqual([scheme, 200]);
        const { headers } = await send(asks({ scheme, path: '/s' }, 'wiki'), NAVIGATION);
        expect(String(headers.location)).toContain(encodeURIComponent(`https://${HOST}/s`));
      }
    });

    test('for an unknown or disabled application is refused', async () => {
      await prepare();
      const { cookie } = await cookieOf({ role: 'superadmin' });
      for (const key of ['nothing', 'closed']) {
        const { status, text } = await send(asks({}, key), { cookie });
        expect([key, status, JSON.parse(text).code]).toEqual([key, 403, 'APP_UNKNOWN']);
      }
    });

    test("is decided by the user's applications and role, and superadmins pass", async () => {
      await prepare();
      const statusFor = async (fields: { apps?: string[]; role?: 'superadmin' }, key: string) =>
        (await send(asks({}, key), { cookie: (await cookieOf(fields)).cookie })).status;

      expect(await statusFor({ apps: ['authsvc', 'WIKI'] }, 'wiki')).toBe(200);
      expect(await statusFor({ apps: ['authsvc'] }, 'wiki')).toBe(403);
      expect(await statusFor({}, 'editors')).toBe(403);
      expect(await statusFor({ apps: ['authsvc'], role: 'superadmin' }, 'editors')).toBe(200);
    });

    test('that names no application is decided by the applications of the host; if the host has none, every signed-in person passes', async () => {
      await prepare();
      const [may, mayNot] = [(await cookieOf()).cookie, (await cookieOf({ apps: ['authsvc'] })).cookie];
      const ask = async (cookie: string, host: string) => (await send(asks({ host }, undefined), { cookie })).status;

      expect([await ask(may, HOST), await ask(mayNot, HOST)]).toEqual([200, 403]);
      expect([await ask(may, 'other.example.test'), await ask(mayNot, 'other.example.test')]).toEqual([200, 200]);
      for (const host of [`${HOST}.`, `${HOST}.:443`, `${HOST}..`, 'WIKI.example%2etest%2e'])
        expect([host, await ask(may, host), await ask(mayNot, host)]).toEqual([host, 200, 403]);
    });

    test('for a host with a final dot is redirected with a return address without the dot, where the cookies are valid', async () => {
      await prepare();
      const { headers } = await send(asks({ host: `${HOST}.`, path: '/s?x=1' }, 'wiki'), NAVIGATION);

      expect(headers.location).toContain(`?redirect=${encodeURIComponent(`https://${HOST}/s?x=1`)}`);
    });

    test('that carries a token is decided by the token alone; an invalid token never causes a redirect, and a read-only token only reads', async () => {
      await prepare();
      const { client, cookie } = await cookieOf();
      const { token } = await createToken(client);
      const basic = (secret: string) => `Basic ${Buffer.from(`git:${secret}`).toString('base64')}`;

      for (const authorization of [`Bearer ${token}`, `bearer ${token}`, basic(token)]) {
        const read = await send(asks({}, 'wiki'), { authorization });
        const write = await send(asks({ method: 'POST' }, 'wiki'), { authorization });
        expect([read.status, write.status, JSON.parse(write.text).code]).toEqual([200, 403, 'TOKEN_READ_ONLY']);
      }
      for (const authorization of [`Bearer tok_${'0'.repeat(64)}`, basic(`tok_${'f'.repeat(64)}`)]) {
        const { status, headers } = await send(asks({}, 'wiki'), { ...NAVIGATION, authorization, cookie });
        expect([status, headers.location]).toEqual([401, undefined]);
      }
      for (const authorization of ['Bearer of-the-application', basic('right-horse-7'), 'Digest x'])
        expect((await send(asks({}, 'wiki'), { authorization, cookie })).status).toBe(200);
    });

    test('with several session cookies passes if one of them is valid', async () => {
      await prepare();
      const { cookie } = await cookieOf();
      const many = ['session_id=x', 'session_id=v1.AAAA', cookie].join('; ');

      expect((await send(asks({}, 'wiki'), { cookie: many })).status).toBe(200);
    });

    test('after a change of the person or the application uses the new data at once', async () => {
      await prepare();
      const { user, cookie } = await cookieOf();
      const status = async () => (await send(asks({}, 'wiki'), { cookie })).status;

      expect(await status()).toBe(200);
      await changeUser(app().change(), user.username, { apps: ['authsvc'] });
      await vi.waitFor(async () => expect(await status()).toBe(403));
      await changeUser(app().change(), user.username, { isActive: false });
      await vi.waitFor(async () => expect(await status()).toBe(401));
    });

    test('while the database is unavailable gets 503, never an answer about the visitor', async () => {
      await prepare();
      const { cookie } = await cookieOf();
      await whileSessionsAreAway(app(), async () => {
        const { status, headers } = await send(asks({}, 'wiki'), { ...NAVIGATION, cookie });
        expect([status, headers['retry-after'], headers.location]).toEqual([503, '5', undefined]);
      });
    });
  });
});
