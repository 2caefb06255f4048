// Tests what the client caches and when it stops using it. The test decides every reply and event of the service.
import type { ServerResponse } from 'node:http';
import { type AuthOptions, AuthRefused, AuthUnavailable, createAuth } from 'authsvc-client';
import { expect, test, vi } from 'vitest';
import type { Owner } from '../support/serve.ts';
import { scriptedService, visitorAnswer } from './scripted-service.ts';

const SECRET = `acs_${'0'.repeat(64)}`;
const cookie = (value: string) => ({ cookie: `session_id=${value}` });

async function start(t: Owner, options: Partial<AuthOptions> = {}) {
  const service = await scriptedService(t);
  const auth = createAuth({ server: service.url, app: 'portal', secret: SECRET, ...options });
  t.onTestFinished(async () => auth.close());
  /** Asks until a request is answered from the cache and does not reach the server. */
  const keep = async (value: string) => {
    await vi.waitUntil(
      async () => {
        const before = service.asked.length;
        await auth.visitor(cookie(value));
        return service.asked.length === before;
      },
      { timeout: 5000, interval: 20 },
    );
  };
  /** Returns whether a request reaches the service. */
  const asks = async (value: string) => {
    const before = service.asked.length;
    await auth.visitor(cookie(value));
    return service.asked.length > before;
  };
  return { service, auth, keep, asks };
}

/** Returns the error that a request throws if the service replies in this way. */
async function faultOf(options: Partial<AuthOptions>, answer: (response: ServerResponse) => void): Promise<unknown> {
  const stops: (() => Promise<void>)[] = [];
  const { service, auth } = await start({ onTestFinished: (stop) => void stops.push(stop) }, options);
  service.answerBy((_request, response) => answer(response));
  const fault: unknown = await auth.visitor(cookie('ada')).catch((error: unknown) => error);
  for (const stop of stops) await stop();
  return fault;
}

test('nothing is sent before the first lookup, nor for a request without a cookie or token', async (t) => {
  const { service, auth } = await start(t);

  expect(await auth.visitor({ cookie: 'a=b', authorization: 'Bearer x' }, { tokens: true })).toBeUndefined();

  expect([service.asked.length, service.openings()]).toEqual([0, 0]);
});

test('an answer is cached while the stream is alive, and every caller gets a copy', async (t) => {
  const { auth, keep, asks } = await start(t);
  await keep('ada');

  const visitor = await auth.visitor(cookie('ada'));
  visitor?.allowedApps.push('changed');
  Object.assign(visitor ?? {}, { username: 'changed' });

  expect(await auth.visitor(cookie('ada'))).toEqual({
    userId: 3,
    username: 'ada',
    fullName: 'ada',
    role: 'normaluser',
    image: '',
    allowedApps: ['portal'],
    expiresAt: null,
    via: 'session',
    scope: null,
    mayUse: true,
  });
  expect(await asks('ada')).toBe(false);
});

test('each event removes the cached answers that it concerns', async (t) => {
  const { service, keep, asks } = await start(t);
  const users = ['ada', 'bea', 'dora'];
  const dropped = async (event: string, data: object) => {
    for (const user of users) await keep(user);
    service.tell(event, data);
    const asked = await vi.waitUntil(
      async () => {
        const now = [];
        for (const user of users) if (await asks(user)) now.push(user);
        return now.length > 0 && now;
      },
      { timeout: 5000, interval: 1 },
    );
    return asked;
  };

  expect(await dropped('ended', { refs: ['ref of ada', 'ref of nobody'] })).toEqual(['ada']);
  expect(await dropped('user', { user_id: 3 })).toEqual(['ada', 'bea']);
  expect(await dropped('lost', {})).toEqual(users);
  expect(await dropped('hello', {})).toEqual(users);
  expect(await dropped('of a later version', {})).toEqual(users);
});

test('an answer is not cached if an event arrives before the answer does', async (t) => {
  const { service, auth, keep, asks } = await start(t);
  await keep('ada');
  service.answerBy((_request, response) => {
    service.tell('ended', { refs: ['ref of nobody'] });
    setTimeout(() => response.end(JSON.stringify(visitorAnswer('bea'))), 100);
  });

  expect((await auth.visitor(cookie('bea')))?.username).toBe('bea');

  expect(await asks('bea')).toBe(true);
});

test('while the stream is closed each lookup is sent, until the stream is open again', async (t) => {
  const { service, keep, asks } = await start(t);
  await keep('ada');

  service.setStreaming(false);
  await vi.waitUntil(() => service.streams() === 0);
  await vi.waitUntil(() => asks('ada'), { timeout: 1000, interval: 1 });
  expect([await asks('ada'), await asks('ada')]).toEqual([true, true]);
  service.setStreaming(true);

  await keep('ada');
});

test('while the stream is silent an answer is used for at most two seconds, and another stream is opened', async (t) => {
  const { service, keep, asks } = await start(t);
  await keep('ada');
  service.silence();
  const since = performance.now();

  await vi.waitUntil(() => asks('ada'), { timeout: 10_000, interval: 10 });

  expect(performance.now() - since).toBeLessThan(3000);
  await vi.waitUntil(() => service.openings() > 1, { timeout: 10_000 });
});

test('bytes that arrive after a silence do not restore the dropped answers', async (t) => {
  const { service, keep, asks } = await start(t);
  await keep('ada');
  service.silence();
  await new Promise((resolve) => setTimeout(resolve, 2500));

  service.say(':\n\n');

  await vi.waitUntil(async () => !(await asks('bea')), { timeout: 5000, interval: 50 });
  expect(await asks('ada')).toBe(true);
});

test('an answer is not used after it has expired, and "not signed in" is never cached', async (t) => {
  const { service, auth, keep, asks } = await start(t);
  const end = Date.now() + 1500;
  service.answerBy((_request, response) => {
    response.end(JSON.stringify(visitorAnswer('ada', 'ref', new Date(end).toISOString())));
  });
  await keep('ada');
  expect((await auth.visitor(cookie('ada')))?.expiresAt).toEqual(new Date(end));

  await vi.waitUntil(() => Date.now() > end, { timeout: 5000 });
  expect(await asks('ada')).toBe(true);

  service.answerBy((_request, response) => response.end('{"visitor":null}'));
  await service.untilStreaming();
  expect([await asks('gone'), await asks('gone'), await auth.visitor(cookie('gone'))]).toEqual([true, true, undefined]);
});

test('no more answers are cached than allowed, and the most recently used ones stay', async (t) => {
  const { keep, asks } = await start(t, { maxAnswers: 2 });
  for (const user of ['ada', 'bea']) await keep(user);
  expect(await asks('ada')).toBe(false);

  await keep('dora');

  expect([await asks('ada'), await asks('dora'), await asks('bea')]).toEqual([false, false, true]);
});

test('identical lookups at the same time share one request; others do not', async (t) => {
  const { service, auth } = await start(t);
  const values = [...Array.from({ length: 50 }, () => 'ada'), 'bea'];

  const visitors = await Promise.all(values.map((value) => auth.visitor(cookie(value))));

  expect(visitors.map((visitor) => visitor?.username)).toEqual(values);
  expect(service.asked).toHaveLength(2);
});

test('after close, lookups are still sent, and no stream is opened', async (t) => {
  const { service, auth, keep, asks } = await start(t);
  await keep('ada');

  auth.close();

  expect([await asks('ada'), await asks('ada')]).toEqual([true, true]);
  await vi.waitUntil(() => service.streams() === 0);
});

test.each([
  ['a fault', 500, '{"code":"INTERNAL_ERROR"}', {}, undefined],
  ['too many requests', 429, '{}', { 'retry-after': '7' }, 7],
  ['a 503 of a proxy', 503, 'Bad gateway', { 'retry-after': '2' }, 2],
  ['a page', 200, '<html>', {}, undefined],
  ['JSON of another service', 200, '{"visitor":{"name":"ada"}}', {}, undefined],
  ['JSON without the field `visitor`', 200, '{}', {}, undefined],
  ['a JSON list', 200, '[]', {}, undefined],
  ['a redirect', 302, '', { location: '/elsewhere' }, undefined],
  ['a refusal of a proxy', 401, 'Unauthorized', {}, undefined],
  ['an unknown path', 404, '{"code":"NOT_FOUND"}', {}, undefined],
])('%s is reported as an outage, and signs no one out', async (_what, status, text, headers, retryAfterSeconds) => {
  for (const secret of [SECRET, undefined]) {
    const error = await faultOf({ secret }, (response) => void response.writeHead(status, headers).end(text));
    expect(error).toBeInstanceOf(AuthUnavailable);
    expect(error).toMatchObject(retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
  }
});

test('a service that does not answer in time, or cannot be reached, is reported as an outage', async (t) => {
  const late = await faultOf({ timeoutMs: 100 }, () => undefined);
  const { auth } = await start(t, { server: 'http://127.0.0.1:9' });
  const away: unknown = await auth.visitor(cookie('ada')).catch((error: unknown) => error);

  for (const error of [late, away]) {
    expect(error).toBeInstanceOf(AuthUnavailable);
    expect(error).toHaveProperty('cause');
  }
});

test.each(['APP_CREDENTIALS_INVALID', 'APP_THIRD_PARTY', 'APP_UNKNOWN'])(
  '%s is reported as a refusal of the application',
  async (code) => {
    const status = code === 'APP_CREDENTIALS_INVALID' ? 401 : 403;
    const refusal = JSON.stringify({ success: false, message: 'no', code });

    const error = await faultOf({}, (response) => void response.writeHead(status).end(refusal));

    expect(error).toBeInstanceOf(AuthRefused);
    expect(error).toMatchObject({ code });
  },
);
