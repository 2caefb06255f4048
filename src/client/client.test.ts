import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ClientError, createClient, type PendingLogin } from './client.ts';

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

/** A server that answers by a script, its last line for ever. */
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

test('a server that is away, busy or asks for patience is asked again until it answers', async () => {
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

test('a proxy that speaks for a server that is away does not end the wait', async () => {
  const { client } = scripted([
    { status: 502, body: '<html>Bad Gateway' },
    { status: 429, body: 'slow down' },
    approved,
  ]);

  expect((await client.waitForLogin(pending)).username).toBe('ada');
});

test('an answer without an end is no answer of the service', async () => {
  const server = createServer((_request, response) => {
    const more = () => {
      while (response.writable && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  expect(await reasonOf(createClient({ server: `http://127.0.0.1:${port}` }).verifyToken('tok_x'))).toBe('unexpected');
});

test.each<[string, Scripted]>([
  ['that no timer can hold', { status: 503, headers: { 'retry-after': '99999999' } }],
  ['of no time at all', { body: { success: false, status: 'pending', interval: -1 } }],
])('a server that asks for a wait %s is not asked in a rush', async (_what, line) => {
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
])('the status %s ends the wait as %s', async (status, reason) => {
  const { client } = scripted([waiting, { body: { success: false, status, message: 'x' } }]);

  expect(await reasonOf(client.waitForLogin(pending))).toBe(reason);
});

test('a server that stays away ends the wait when nobody can approve any more', async () => {
  const { client } = scripted(['away']);

  expect(await reasonOf(client.waitForLogin({ ...pending, expiresIn: 0.2 }))).toBe('unreachable');
});

test('a server that never decides ends the wait when time is over', async () => {
  const { client } = scripted([waiting]);

  expect(await reasonOf(client.waitForLogin({ ...pending, expiresIn: 0.2 }))).toBe('expired');
});

test('an abort ends the wait at once', async () => {
  const { client } = scripted([waiting]);
  const abort = new AbortController();

  const login = client.waitForLogin({ ...pending, interval: 60 }, { signal: abort.signal });
  abort.abort();

  await expect(login).rejects.toMatchObject({ name: 'AbortError' });
});

test('refusals carry the words of the server, and what is no answer of it is told so', async () => {
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

test('a token is verified, and what is not valid is undefined', async () => {
  const permissions = { scope: 'write', allowed_apps: ['a'] };
  const body = { success: true, tokenValid: true, username: 'ada', permissions, expiresAt: '2030-01-01T00:00:00.000Z' };

  const facts = await scripted([{ body }]).client.verifyToken('tok_x');
  const none = await scripted([{ body: { success: false, tokenValid: false, message: 'x' } }]).client.verifyToken(
    'tok_x',
  );

  expect(facts).toEqual({ username: 'ada', scope: 'write', allowedApps: ['a'], expiresAt: new Date('2030-01-01') });
  expect(none).toBeUndefined();
});

test('an end that is no instant is no answer of the service', async () => {
  const permissions = { scope: 'write', allowed_apps: [] };
  const body = { success: true, tokenValid: true, username: 'ada', permissions, expiresAt: 'soon' };

  expect(await reasonOf(scripted([{ body }]).client.verifyToken('tok_x'))).toBe('unexpected');
});

test('a redirect is not followed, so that a token goes to no other address', async () => {
  const met: string[] = [];
  const server = createServer((request, response) => {
    met.push(String(request.url));
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;

  const reason = await reasonOf(createClient({ server: `http://127.0.0.1:${port}` }).revokeToken('tok_x'));

  expect(reason).toBe('unreachable');
  expect(met).toEqual(['/api/tokens/revoke']);
});
