import { describe, expect, test } from 'vitest';
import type { ErrorName } from '../../src/errors/registry.ts';
import { createToken } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { expectError, sharedApp } from './support.ts';

const guarded: [path: string, error: ErrorName][] = [
  ['/authsvc/', 'NOT_SIGNED_IN'],
  ['/authsvc/test', 'NOT_SIGNED_IN'],
  ['/authsvc/accounts', 'NOT_SIGNED_IN'],
  ['/authsvc/cli/device', 'NOT_SIGNED_IN'],
  ['/authsvc/cli/device/AAAA-AAAA', 'NOT_SIGNED_IN'],
  ['/authsvc/2fa', 'FIRST_STEP_REQUIRED'],
];
const forTokens = ['/authsvc/', '/authsvc/test', '/authsvc/cli/device', '/authsvc/cli/device/AAAA-AAAA'];

const programs = {
  'asks for JSON': { accept: 'application/json' },
  'prefers JSON': { accept: 'application/json, text/plain, */*' },
  'names JSON first': { accept: 'application/json, text/html' },
  'prefers JSON by weight': { accept: 'text/html;q=0.5, application/json' },
  'asks for problem details': { accept: 'application/problem+json' },
  'prefers JSON of some kind': { accept: 'application/vnd.api+json, */*;q=0.5' },
};
const visitors = {
  'a browser': { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' },
  'a client that accepts anything': { accept: '*/*' },
  'a client without an Accept header': { accept: undefined },
  'a client that prefers a page to JSON': { accept: 'application/ld+json;q=0.1, text/html' },
  'a client that accepts only pictures': { accept: 'image/png' },
  'a client that names a character set': { accept: 'text/html; charset=utf-8' },
};

eachDatabase('a page that needs a sign-in', (database) => {
  const app = sharedApp({ database });

  describe.each(guarded)('%s', (path, error) => {
    test.each(Object.entries(programs))('replies with 401 in JSON to a program that %s', async (_who, headers) => {
      expectError(await app().client().get(path, { headers }), error);
    });

    test.each(Object.entries(visitors))('%s goes to the login page', async (_who, headers) => {
      const reply = await app().client().get(path, { headers });

      expect(reply.status).toBe(302);
      expect(reply.headers.location).toMatch(/^\/authsvc\/login/);
    });

    test('replies with 401 in JSON to an invalid bearer credential, whatever the client accepts', async () => {
      const headers = { ...visitors['a browser'], authorization: 'Bearer nonsense' };
      const reply = await app().client().get(path, { headers });

      expectError(reply, forTokens.includes(path) ? 'TOKEN_INVALID' : error);
    });
  });

  test('that accepts no tokens replies with 401 in JSON to a valid token', async () => {
    const { token } = await createToken(await app().signIn(await app().seedUser()));
    const headers = { ...visitors['a browser'], authorization: `Bearer ${token}` };

    expectError(await app().client().get('/authsvc/accounts', { headers }), 'NOT_SIGNED_IN');
  });

  test('replies to a program with JSON for other errors too', async () => {
    const path = '/authsvc/api/codehost/login';
    const program = await app().client().get(path, { headers: programs['asks for JSON'] });
    const visitor = await app().client().page(path);

    expectError(program, 'PROVIDER_OFF');
    expect([visitor.status, visitor.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
  });
});
