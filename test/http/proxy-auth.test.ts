import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { expect, test } from 'vitest';
import { insertImportedToken } from '../../src/api-tokens/queries.ts';
import { hashToken } from '../../src/api-tokens/token.ts';
import { addApplication } from '../../src/applications/add-application.ts';
import { rotateSecret } from '../../src/applications/rotate-secret.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { requireEmail } from '../../src/users/email.ts';
import { eachDatabase } from '../support/each-database.ts';
import { expectError, sharedApp } from './support.ts';

const FORWARD = '/authsvc/api/authz/forward-auth';
const original = (path: string) => ({
  'x-forwarded-method': 'GET',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'wiki.example.test',
  'x-forwarded-uri': path,
});

eachDatabase('a check request of a proxy', (database) => {
  const app = sharedApp({ database, settings: { LEGACY_TOKEN_PREFIXES: 'mbk_' } });
  let isRegistered = false;
  const register = async () => {
    if (isRegistered) return;
    isRegistered = true;
    const wiki = { key: 'wiki', name: 'Wiki', urls: ['https://wiki.example.test'] };
    await addApplication(app().change(), app().services.settings, wiki);
  };

  test('gets the e-mail address of the user, and a new address with the next request', async () => {
    await register();
    const user = await app().seedUser({ apps: ['authsvc', 'wiki'], fullName: 'Zoë' });
    const client = await app().signIn(user);
    const ask = async () => (await client.get(`${FORWARD}?app=wiki`, { headers: original('/a') })).headers;
    const { 'remote-name': name = '', 'remote-email': none } = await ask();
    expect([Buffer.from(String(name), 'latin1').toString(), none]).toEqual(['Zoë', '']);

    for (const email of ['zoe@example.test', 'new@example.test']) {
      await changeUser(app().change(), user.username, { email: requireEmail(email) });
      expect((await ask())['remote-email']).toBe(email);
    }
  });

  test('for a visitor who may not pass gets a page that loads nothing, with absolute URLs', async () => {
    await register();
    const client = await app().signIn(await app().seedUser());

    const { status, text } = await client.page(FORWARD, { headers: original('/a?b=1&c=2') });

    expect(status).toBe(403);
    const links = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url);
    const back = 'https://wiki.example.test/a?b=1&amp;c=2';
    const another = `${app().services.baseUrl()}/authsvc/accounts?redirect=${encodeURIComponent('https://wiki.example.test/a?b=1&c=2')}`;
    expect(links).toEqual([another, back]);
    expect(text).toContain(`<span>${app().services.settings.APP_NAME}</span>`);
  });

  test('from a program gets the challenges Bearer and Basic, and one from a browser gets only Bearer', async () => {
    await register();
    const ask = async (headers: Record<string, string>) =>
      (
        await app()
          .client()
          .get(FORWARD, { headers: { ...original('/'), ...headers } })
      ).headers['www-authenticate'];

    expect(await ask({})).toBe('Bearer, Basic realm="authsvc"');
    for (const name of ['origin', 'sec-fetch-site', 'x-requested-with', 'cookie'])
      expect([name, await ask({ [name]: 'x' })]).toEqual([name, 'Bearer']);
  });

  test('may have a token of a former service, as Bearer or as the password of Basic, and so may a request of an application', async () => {
    await register();
    const { id: userId, username } = await app().seedUser({ apps: ['authsvc', 'wiki'] });
    const token = `mbk_${randomBytes(32).toString('hex')}`;
    await insertImportedToken.first(app().services.database, {
      userId,
      name: 'Former',
      tokenHash: hashToken(token),
      prefix: 'mbk_',
      scope: 'read-only',
      allowedApps: null,
      now: Date.now(),
      expiresAt: null,
      lastUsedAt: null,
    });
    const bearer = `Bearer ${token}`;
    const ask = async (authorization: string) => {
      const headers = { ...original('/a'), authorization };
      const { status, headers: replied } = await app().client().get(`${FORWARD}?app=wiki`, { headers });
      return [status, replied['remote-user']];
    };

    expect(await ask(bearer)).toEqual([200, username]);
    expect(await ask(`Basic ${Buffer.from(`git:${token}`).toString('base64')}`)).toEqual([200, username]);
    expect(await ask(bearer.replace('mbk_', 'old_'))).toEqual([401, undefined]);
    const { secret } = await rotateSecret(app().change(), 'wiki', 0);
    const { body } = await app()
      .client()
      .post(
        '/authsvc/api/apps/visitor',
        { authorization: bearer },
        { headers: { authorization: `Basic ${Buffer.from(`wiki:${secret}`).toString('base64')}` } },
      );
    expect(body).toMatchObject({ visitor: { username, via: 'token' }, may_use: true });
  });

  test('with raw UTF-8 in its path is redirected to the login page with that path to return to', async () => {
    await register();
    const headers = { ...original(Buffer.from('/ß/日本?q=ü').toString('latin1')), accept: 'text/html' };

    const { status, headers: replied } = await app().client().get(FORWARD, { headers });

    const back = encodeURIComponent('https://wiki.example.test/ß/日本?q=ü');
    expect([status, replied.location]).toEqual([302, `${app().services.baseUrl()}/authsvc/login?redirect=${back}`]);
    const odd = { ...original(Buffer.from('/\u0085').toString('latin1')), accept: 'text/html' };
    expectError(await app().client().get(FORWARD, { headers: odd }), 'ORIGINAL_REQUEST_INVALID');
  });

  test('with a repeated header is refused, in any order', async () => {
    await register();
    const status = await new Promise((resolve, reject) => {
      const headers = { ...original('/a'), 'x-forwarded-uri': ['/a', '/b'], host: 'localhost' };
      const options = { host: '127.0.0.1', port: app().port, path: FORWARD, headers, agent: false };
      httpRequest(options, (reply) => resolve(reply.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(400);
    const listed = { ...original('/a'), 'x-forwarded-host': 'wiki.example.test, evil.example' };
    expectError(await app().client().get(FORWARD, { headers: listed }), 'ORIGINAL_REQUEST_INVALID');
  });
});
