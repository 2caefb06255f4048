import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ErrorName } from '../../src/errors/registry.ts';
import type { Reply } from '../support/client.ts';
import { expectError, sharedApp } from './support.ts';

interface Closed {
  text: string;
  seconds: number;
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket.on('error', () => undefined);
}

/** Returns everything that the server sends until it closes the connection. */
async function untilClosed(socket: Socket): Promise<Closed> {
  const begin = performance.now();
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await once(socket, 'close');
  return { text, seconds: (performance.now() - begin) / 1000 };
}

async function send(port: number, text: string): Promise<Closed> {
  const socket = await open(port);
  socket.write(text);
  return untilClosed(socket);
}

/** Parses a raw reply. */
function toReply(text: string): Reply {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
  return { status: Number(statusLine.split(' ')[1]), headers, text: body, body: JSON.parse(body), cookies: [] };
}

const withHosts = (...hosts: string[]) =>
  `GET /healthz HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`;

const goodHosts = [
  'localhost',
  '127.0.0.1:3000',
  '[::1]:3000',
  '[::ffff:127.0.0.1]',
  '[fe80::1%25eth0]:3000',
  'auth.example.com.',
  'AUTH.example.com:443',
  'xn--mnchen-3ya.example',
  'auth_service:3000',
  'm%C3%BCnchen.example',
  'a:',
  '',
];
const badHosts = [
  'a b',
  'a/b',
  'a, b',
  'a?b',
  'a#b',
  'a\\b',
  'ada@a',
  'a:b',
  'a:80:80',
  '::1',
  '[::1',
  '[a]',
  '[::1]a',
  'a%2',
  'mün',
];

describe('invalid HTTP requests', () => {
  const app = sharedApp({ database: 'sqlite' });

  const broken: [string, string, ErrorName][] = [
    ['a text that is not HTTP', 'hello there\r\n\r\n', 'REQUEST_MALFORMED'],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'REQUEST_MALFORMED'],
    ['a header without a name', 'GET /healthz HTTP/1.1\r\nHost: a\r\n: x\r\n\r\n', 'REQUEST_MALFORMED'],
    ['a byte 0 in a header', 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: b\0c\r\n\r\n', 'REQUEST_MALFORMED'],
    [
      'a request with two lengths',
      'POST /authsvc/test HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      'REQUEST_MALFORMED',
    ],
    [
      'a request with a length and chunks, as in request smuggling',
      'POST /authsvc/test HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG',
      'REQUEST_MALFORMED',
    ],
    ['HTTP/1.1 without Host', withHosts(), 'REQUEST_MALFORMED'],
    ['two Host lines', withHosts('a', 'b'), 'REQUEST_MALFORMED'],
    ['the same Host twice', withHosts('a', 'a'), 'REQUEST_MALFORMED'],
    ['two Host lines in HTTP/1.0', withHosts('a', 'b').replace('/1.1', '/1.0'), 'REQUEST_MALFORMED'],
    ...badHosts.map((host): [string, string, ErrorName] => [`Host: ${host}`, withHosts(host), 'REQUEST_MALFORMED']),
    [
      'a header that is too long',
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(20_000)}\r\n\r\n`,
      'HEADERS_TOO_LARGE',
    ],
    [
      'a request with too many headers',
      `GET /healthz HTTP/1.1\r\nHost: a\r\n${'X-Something: of no use\r\n'.repeat(2000)}\r\n`,
      'HEADERS_TOO_LARGE',
    ],
    ['a URL that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 'HEADERS_TOO_LARGE'],
  ];

  test('if a request target has a scheme and host, only its path and query count, also for the return address', async () => {
    const ask = (target: string) =>
      send(app().port, `GET ${target} HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nConnection: close\r\n\r\n`);

    expect((await ask('http://a/authsvc/accounts?x=1')).text).toContain(
      'location: /authsvc/login?redirect=%2Fauthsvc%2Faccounts%3Fx%3D1\r\n',
    );
    expect((await ask('http://a')).text).toMatch(/^HTTP\/1.1 302 .*location: \/authsvc\/\r\n/s);
    expect((await ask('http://a?x')).text).toMatch(/^HTTP\/1.1 302 /);
  });

  test.each(broken)('%s gets the error reply with all headers, and the connection is closed', async (_, text, name) => {
    const ordinary = await app().client().get('/authsvc/api/checkSession');

    const { text: answer } = await send(app().port, text);

    const reply = toReply(answer);
    const names = Object.keys(reply.headers).map((header) => header.toLowerCase());
    expectError({ ...reply, headers: { 'content-type': reply.headers['content-type'] ?? '' } }, name);
    // A reply to bytes that are not a request needs no `Vary`, because it is the same for every origin.
    for (const header of Object.keys(ordinary.headers).filter((one) => !['keep-alive', 'vary'].includes(one))) {
      expect(names).toContain(header);
    }
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test.each(goodHosts)('Host: %s is accepted', async (host) => {
    const { text } = await send(app().port, withHosts(host));

    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('HTTP/1.0 without Host is accepted', async () => {
    const { text } = await send(app().port, withHosts().replace('/1.1', '/1.0'));

    expect(text).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('an unreadable request is logged with its request id, but without its text', async () => {
    const { text } = await send(app().port, 'GET /healthz HTTP/1.1\r\nHost: a\r\nCookie: secret-of-mine\0\r\n\r\n');

    const { request_id } = toReply(text).body;
    const lines = app()
      .log()
      .filter((line) => line.request_id === request_id);
    expect(lines).toMatchObject([{ msg: 'request', route: 'unknown', status: 400, address: '127.0.0.1' }]);
    expect(JSON.stringify(app().log())).not.toContain('secret-of-mine');
  });

  test('an unknown Expect header is ignored', async () => {
    const { text } = await send(
      app().port,
      'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    );

    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('content-security-policy');
  });

  test('a connection that breaks off in the middle of a request has no effect on others', async () => {
    for (const text of ['GET /heal', 'POST /authsvc/api/login HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{']) {
      const socket = await open(app().port);
      socket.write(text);
      await wait(20);
      socket.resetAndDestroy();
    }

    expect((await app().client().get('/healthz')).status).toBe(200);
    expect(
      app()
        .log()
        .filter(({ level }) => level === 'error'),
    ).toEqual([]);
  });
});

describe('clients that send too slowly', () => {
  const app = sharedApp({ database: 'sqlite' });

  /** Sends a text byte by byte. */
  async function trickle(socket: Socket, text: string, everyMs: number): Promise<void> {
    for (const byte of text) {
      if (!socket.writable) return;
      socket.write(byte);
      await wait(everyMs);
    }
  }

  test('get an error and are disconnected, whether they send nothing, single bytes, or an unfinished body', {
    timeout: 60_000,
  }, async () => {
    const silent = await open(app().port);
    const slow = await open(app().port);
    const headOnly = await open(app().port);
    headOnly.write(
      'POST /authsvc/api/verifySession HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
    );

    const [ofSilent, ofSlow, ofBody] = await Promise.all([
      untilClosed(silent),
      untilClosed(slow),
      untilClosed(headOnly),
      trickle(slow, `GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(1000)}\r\n\r\n`, 100),
    ]);

    for (const { text } of [ofSilent, ofSlow, ofBody]) {
      const reply = toReply(text);
      expectError({ ...reply, headers: { 'content-type': reply.headers['content-type'] ?? '' } }, 'REQUEST_TOO_SLOW');
    }
    expect(ofSilent.seconds).toBeLessThan(20);
    expect(ofSlow.seconds).toBeLessThan(20);
    expect(ofBody.seconds).toBeLessThan(45);
  });

  test('do not delay others, however many there are', async () => {
    const sockets = await Promise.all(Array.from({ length: 500 }, () => open(app().port)));
    for (const socket of sockets) socket.write('GET /authsvc/login HTTP/1.1\r\nHost: a\r\nX-A: ');

    expect((await app().client().get('/authsvc/api/checkSession')).status).toBe(200);
  });
});

const LARGE = 10 * 1024 * 1024;
const lengths = [
  ['of a stated length', `Content-Length: ${LARGE}\r\n\r\n`, ''],
  ['in chunks', `Transfer-Encoding: chunked\r\n\r\n${LARGE.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
] as const;
const types = [
  ['application/json', 413],
  ['application/octet-stream', 415],
] as const;
const uploads = lengths.flatMap(([name, before, after]) =>
  types.map(([type, status]) => ({ name, before, after, type, status })),
);

describe('a body that is not read', () => {
  const app = sharedApp({ database: 'sqlite', settings: { env: 'dev', RATE_LIMITS: 'off' } });

  test.each(uploads)('a client that sends 10 MiB of $type $name gets $status, every time', async (upload) => {
    for (let i = 0; i < 20; i += 1) {
      const socket = await open(app().port);
      let text = '';
      const refused = new Promise<void>((resolve) => {
        socket.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
          if (text.includes('"request_id"')) resolve();
        });
        socket.once('close', resolve);
      });
      socket.write(
        `POST /authsvc/api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${upload.type}\r\n${upload.before}`,
      );
      socket.write(Buffer.alloc(LARGE, ' '));
      socket.write(upload.after);
      await refused;
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${upload.status} `));
      socket.destroy();
    }
  });
});
