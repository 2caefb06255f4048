import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Asker } from '../../src/lib/fair-queue.ts';
import { eachDatabase } from '../support/each-database.ts';
import { PASSWORD, startApp, type TestApp } from '../support/start-app.ts';
import { expectError } from './support.ts';

/** How many requests of one client may run at once: a fifth of the thousand that a process accepts. */
const SHARE = 200;

interface Held {
  /** Waits until this many sign-ins have started. */
  begun(count: number): Promise<void>;
  /** Waits until the clients of this many sign-ins have disconnected. */
  left(count: number): Promise<void>;
  release(): void;
}

/** Creates a counter that can be waited for. */
function counter() {
  let count = 0;
  const waiting: { count: number; done: () => void }[] = [];
  return {
    add: () => {
      count += 1;
      for (const one of waiting) if (count >= one.count) one.done();
    },
    reach: (wanted: number) =>
      new Promise<void>((done) => {
        if (count >= wanted) done();
        else waiting.push({ count: wanted, done });
      }),
  };
}

/** Holds every sign-in before its password is verified, until it is released. */
function holdSignIns({ services }: TestApp): Held {
  const { verify, verifyNothing } = services.passwords;
  const [begun, left] = [counter(), counter()];
  let release = () => {};
  const gate = new Promise<false>((open) => {
    release = () => open(false);
  });
  const hold = (asker: Asker | undefined): Promise<false> => {
    asker?.signal?.addEventListener('abort', left.add);
    begun.add();
    return gate;
  };
  services.passwords.verify = (_hash, _password, asker) => hold(asker);
  services.passwords.verifyNothing = (_password, asker) => hold(asker);
  return {
    begun: begun.reach,
    left: left.reach,
    release: () => {
      Object.assign(services.passwords, { verify, verifyNothing });
      release();
    },
  };
}

interface Sent {
  socket: Socket;
  status: Promise<number>;
}

interface Post {
  path: string;
  address: string;
  /**
   * Each request uses another account, because a client may have more requests running than one account allows guesses.
   */
  username: string;
  cookie?: string;
  /** How many bytes of the body are sent. The default is the whole body. */
  part?: number;
}

function post({ port }: TestApp, { path, address, username, cookie, part }: Post): Sent {
  const body = JSON.stringify({ username, password: PASSWORD });
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: ${address}`,
    ...(cookie ? [`Cookie: ${cookie}`] : []),
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, part)}`);
  const answered = once(socket, 'data').then(([chunk]) => Number(String(chunk).split(' ')[1]));
  return { socket, status: Promise.race([answered, once(socket, 'close').then(() => 0)]) };
}

const LOGIN = '/authsvc/api/login';
const OPEN_LIMITS = { RATE_LIMITS: 'login=100000/60s,login-page=100000/60s' };

eachDatabase('more requests of one client than its share', (database) => {
  test('are refused with a time to try again, while other clients, session checks and health checks are served; afterwards the client is served again', async (t) => {
    const app = await startApp(t, { database, settings: OPEN_LIMITS });
    const user = await app.seedUser();
    const client = await app.signIn(user);
    const address = '192.0.2.1';
    const held = holdSignIns(app);
    const crowd = Array.from({ length: SHARE }, (_, i) =>
      post(app, { path: LOGIN, address, username: `unknown-${i}` }),
    );
    t.onTestFinished(() => {
      for (const { socket } of crowd) socket.destroy();
    });
    await held.begun(SHARE);

    const refused = await app.client().login({ ...user, password: PASSWORD }, { address });
    const page = await app.client().get('/authsvc/login', { address });
    const elsewhere = await app.client().get('/authsvc/login');
    const check = await client.get('/authsvc/api/checkSession', { address });
    const health = await Promise.all(['/healthz', '/readyz'].map((path) => client.get(path, { address })));
    const lines = app.log().filter(({ level }) => level === 'error');
    held.release();
    const answers = await Promise.all(crowd.map(({ status }) => status));

    expectError(refused, 'OVERLOADED');
    expect(refused.headers['retry-after']).toBe('1');
    expect(page.status).toBe(503);
    expect(elsewhere.status).toBe(200);
    expect(check.body.session_valid).toBe(true);
    expect(health.map(({ status }) => status)).toEqual([200, 200]);
    expect(lines).toEqual([]);
    expect(new Set(answers)).toEqual(new Set([404]));
    expect((await app.client().get('/authsvc/login', { address })).status).toBe(200);
    expect((await app.client().login(user, { address })).status).toBe(200);
  });
});

describe('the work that counts towards the share of a client', () => {
  const address = '192.0.2.1';

  test('does not include a request whose client has disconnected, and its password is not hashed', async (t) => {
    const app = await startApp(t, { database: 'sqlite', settings: OPEN_LIMITS });
    const held = holdSignIns(app);
    t.onTestFinished(held.release);
    const crowd = Array.from({ length: SHARE }, (_, i) =>
      post(app, { path: LOGIN, address, username: `unknown-${i}` }),
    );
    await held.begun(SHARE);
    expect((await app.client().get('/authsvc/login', { address })).status).toBe(503);

    for (const { socket } of crowd) socket.destroy();
    await held.left(SHARE);

    expect((await app.client().get('/authsvc/login', { address })).status).toBe(200);
  });

  test.for([
    ['signed in', '/api/token'],
    ['signed out', LOGIN],
  ] as const)('does not include a request that waits for its body: %s', async ([who, path], t) => {
    const app = await startApp(t, { database: 'sqlite', settings: OPEN_LIMITS });
    const user = await app.seedUser();
    const { jar } = await app.signIn(user);
    const cookie = who === 'signed in' ? [...jar].map((pair) => pair.join('=')).join('; ') : '';
    const crowd = Array.from({ length: 2 * SHARE }, () =>
      post(app, { path, address, username: 'unknown', cookie, part: 1 }),
    );
    t.onTestFinished(() => {
      for (const { socket } of crowd) socket.destroy();
    });
    await Promise.all(crowd.map(({ socket }) => once(socket, 'connect')));

    expect((await app.client().get('/authsvc/login', { address })).status).toBe(200);
    expect((await app.client().login(user, { address })).status).toBe(200);
  });
});
