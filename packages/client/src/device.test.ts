import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ClientError, createClient, type PendingLogin } from './device.ts';

const pending: PendingLogin = {
  verificationUrl: 'https://auth.example.test/authsvc/cli/device/BCDF-GHJK',
  userCode: 'BCDF-GHJK',
  deviceCode: '0'.repeat(48),
  expiresIn: 2,
  interval: 0.01,
  clientName: 'x',
  profileName: 'y',
};

type Scripted = { status?: number; headers?: Record<string, string>; body?: unknown } | 'away';

/** A client whose server sends the replies of a script in order, and repeats the last one forever. */
function scripted(script: Scripted[]): { client: ReturnType<typeof createClient>; asked: () => number } {
  let asked = 0;
  const answer = async () => {
    const line = script[Math.min(asked, script.length - 1)] ?? 'away';
    asked += 1;
    if (line === 'away') throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    const { status = 200, headers, body = {} } = line;
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), {
      status,
      ...(headers ? { headers } : {}),
    });
  };
  return { client: createClient({ server: 'https://auth.example.test', fetch: answer }), asked: () => asked };
}

const waiting = { body: { success: false, status: 'pending', interval: 0.01 } };
const approved = { body: { success: true, status: 'approved', token: 'tok_x', token_prefix: 'tok_', username: 'ada' } };
const reasonOf = (work: Promise<unknown>) =>
  work.then(String, (error: unknown) => (error instanceof ClientError ? error.reason : String(error)));

test('polling continues while the server does not reply, is busy or sends Retry-After', async () => {
  const { client, asked } = scripted([
    'away',
    { status: 503 },
    { status: 429, headers: { 'retry-after': '0' } },
    waiting,
    approved,
  ]);

  const login = await client.waitForLogin(pending);

  expect(login).toEqual({ token: 'tok_x', tokenPrefix: 'tok_', username: 'ada' });
  expect(asked()).toBe(5);
});

test('an error page of a proxy does not end the polling', async () => {
  const { client } = scripted([
    { status: 502, body: '<html>Bad Gateway' },
    { status: 429, body: 'slow down' },
    approved,
  ]);

  expect((await client.waitForLogin(pending)).username).toBe('ada');
});

test.each<[string, Scripted]>([
  ['longer than a timer can wait', { status: 503, headers: { 'retry-after': '99999999' } }],
  ['of negative length', { body: { success: false, status: 'pending', interval: -1 } }],
])('if the server demands a pause %s, the client still pauses between polls', async (_what, line) => {
  const { client, asked } = scripted([line]);
  const abort = new AbortController();

  const login = client.waitForLogin({ ...pending, expiresIn: 900 }, { signal: abort.signal });
  await sleep(200);
  abort.abort();

  await expect(login).rejects.toMatchObject({ name: 'AbortError' });
  expect(asked()).toBe(1);
});

test.each([
  ['denied', 'denied'],
  ['expired', 'expired'],
  ['completed', 'expired'],
])('the status %s ends the polling with the reason %s', async (status, reason) => {
  const { client } = scripted([waiting, { body: { success: false, status, message: 'x' } }]);

  expect(await reasonOf(client.waitForLogin(pending))).toBe(reason);
});

test('if the server stays unreachable, the polling ends when the request expires', async () => {
  const { client } = scripted(['away']);

  expect(await reasonOf(client.waitForLogin({ ...pending, expiresIn: 0.2 }))).toBe('unreachable');
});

test('if the person never decides, the polling ends when the request expires', async () => {
  const { client } = scripted([waiting]);

  expect(await reasonOf(client.waitForLogin({ ...pending, expiresIn: 0.2 }))).toBe('expired');
});

test('an abort ends the polling at once', async () => {
  const { client } = scripted([waiting]);
  const abort = new AbortController();

  const login = client.waitForLogin({ ...pending, interval: 60 }, { signal: abort.signal });
  abort.abort();

  await expect(login).rejects.toMatchObject({ name: 'AbortError' });
});

test('a refusal becomes an error with the message of the server; an invalid reply becomes an error with the reason `unexpected`', async () => {
  const body = { success: false, message: 'There is no such profile', code: 'PROFILE_UNKNOWN', hint: 'Check the key.' };
  const request = { profileKey: 'unknown', clientName: 'x' };

  const refused = scripted([{ status: 400, body }]).client.startLogin(request);
  await expect(refused).rejects.toMatchObject({
    ...{ message: body.message, code: body.code, hint: body.hint },
    reason: 'refused',
  });
  for (const odd of [{ body: '<html>' }, { status: 201, body: {} }, { status: 201, body: '[]' }]) {
    expect(await reasonOf(scripted([odd]).client.startLogin(request))).toBe('unexpected');
  }
});

test('verifyToken returns the data of a valid token, and undefined for an invalid one', async () => {
  const permissions = { scope: 'write', allowed_apps: ['a'] };
  const body = { success: true, tokenValid: true, username: 'ada', permissions, expiresAt: '2030-01-01T00:00:00.000Z' };

  const facts = await scripted([{ body }]).client.verifyToken('tok_x');
  const none = await scripted([{ body: { success: false, tokenValid: false, message: 'x' } }]).client.verifyToken(
    'tok_x',
  );

  expect(facts).toEqual({ username: 'ada', scope: 'write', allowedApps: ['a'], expiresAt: new Date('2030-01-01') });
  expect(none).toBeUndefined();
});

test('verifyToken rejects a reply whose expiry is not a date, because authsvc never sends one', async () => {
  const permissions = { scope: 'write', allowed_apps: [] };
  const body = { success: true, tokenValid: true, username: 'ada', permissions, expiresAt: 'soon' };

  expect(await reasonOf(scripted([{ body }]).client.verifyToken('tok_x'))).toBe('unexpected');
});

/** Texts that authsvc never issues, but an attacker may send in a cookie or a header. */
const foreign = [
  ['a word', 'garbage'],
  ['nothing', ''],
  ['a blank', ' '],
  ['NUL', '\0'],
  ['SQL', "' or 1=1 --"],
  ['half a character', '\ud800'],
  ['a letter beyond ASCII', 'é'],
  ['a line break', 'a\r\nb'],
  ['one character too many', 'x'.repeat(4097)],
  ['a megabyte', 'x'.repeat(1_000_000)],
];

describe('calls with an untrusted text', () => {
  test.each(foreign)('return undefined for %s, which is neither a token nor a session', async (_what, text) => {
    const body = { success: false, message: 'x', code: 'SESSION_INVALID' };
    const { client } = scripted([{ status: 400, body }]);

    expect(await client.verifyToken(text)).toBeUndefined();
    expect(await client.verifySession(text)).toBeUndefined();
    expect(await client.revokeToken(text)).toBeUndefined();
  });

  test('return undefined and send nothing for a missing value or a value that is not a string', async () => {
    const { client, asked } = scripted(['away']);

    for (const value of [undefined, null, 42, ['a', 'b'], {}]) {
      expect(await Reflect.apply(client.verifyToken, client, [value])).toBeUndefined();
      expect(await Reflect.apply(client.verifySession, client, [value])).toBeUndefined();
      expect(await Reflect.apply(client.revokeToken, client, [value])).toBeUndefined();
    }
    expect(asked()).toBe(0);
  });

  test.each([400, 413])(
    'return undefined if the server replies with %i, because then the text is not a credential',
    async (status) => {
      const { client } = scripted([{ status, body: { success: false, message: 'x', code: 'X' } }]);

      expect(await client.verifyToken('abc')).toBeUndefined();
      expect(await client.verifySession('abc')).toBeUndefined();
      expect(await client.revokeToken('abc')).toBeUndefined();
    },
  );

  test.each([429, 500, 503, 404, 403])(
    'fail if the server replies with %i, because that says nothing about the text',
    async (status) => {
      const { client } = scripted([{ status, body: { success: false, message: 'Wait', code: 'OVERLOADED' } }]);

      const refused = { name: 'ClientError', reason: 'refused', status, code: 'OVERLOADED' };
      await expect(client.verifyToken('abc')).rejects.toMatchObject(refused);
      await expect(client.verifySession('abc')).rejects.toMatchObject(refused);
    },
  );
});

describe('the status of an error', () => {
  test.each<[number, Scripted]>([
    [502, { status: 502, body: '<html>' }],
    [200, { status: 200, body: '[]' }],
    [302, { status: 302, headers: { location: '/login' } }],
  ])('is %i if the reply has that status', async (status, line) => {
    await expect(scripted([line]).client.verifyToken('abc')).rejects.toMatchObject({ status, code: undefined });
  });

  test('is undefined if there was no reply', async () => {
    await expect(scripted(['away']).client.verifyToken('abc')).rejects.toMatchObject({ status: undefined });
  });
});

test.each(['', 'auth.example.test', 'ftp://auth.example.test'])('%j is not a valid server address', (server) => {
  expect(() => createClient({ server })).toThrow(TypeError);
});
