import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { certificate } from '../../test/support/certificate.ts';
import { SharedWork } from '../lib/shared-work.ts';
import { Connections, post } from './post.ts';

const rules = { IS_DEPLOYED: false, WEBHOOK_PRIVATE_NETWORKS: 'on' } as const;
const send = (url: string, signal?: AbortSignal) =>
  post({ url, headers: {}, body: '{}', rules, lookUps: new SharedWork(), now: 0, ...(signal ? { signal } : {}) });

/**
 * Starts a server that answers the first packet of each connection with a fixed text. Then it closes the connection,
 * unless `staysOpen` is true. Returns its URL.
 */
async function answerWith(text: string, staysOpen = false): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (staysOpen ? socket.write(text) : socket.end(text)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
}

test.each([
  ['nothing', '', { error: 'refused', status: null }],
  ['garbage', 'garbage\r\n\r\n', { error: 'refused', status: null }],
  ['huge headers', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(70_000)}\r\n\r\n`, { error: 'refused', status: null }],
  [
    'another protocol',
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    { error: 'refused', status: null },
  ],
  [
    'a provisional answer first',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n',
    { error: null, status: 204, body: '' },
  ],
  [
    'a body that is cut',
    'HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\nabc',
    { error: null, status: 200, body: 'abc' },
  ],
  [
    'a body that is malformed',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nx',
    { error: null, status: 200, body: 'abc' },
  ],
  [
    'a body that is malformed from its first byte',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx',
    { error: null, status: 200, body: '' },
  ],
  ['an unknown status', 'HTTP/1.1 999 Odd\r\n\r\n', { error: 'status', status: 999 }],
  ['a status 304', 'HTTP/1.1 304 Not Modified\r\n\r\n', { error: 'redirect', status: 304 }],
  [
    'a character that is cut',
    `HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(1023)}ö`,
    { error: null, status: 200, body: 'x'.repeat(1023) },
  ],
  ['a bad Retry-After', 'HTTP/1.1 503 Busy\r\nretry-after: soon\r\n\r\n', { error: 'status', retryAfterMs: 0 }],
  ['a Retry-After', 'HTTP/1.1 503 Busy\r\nretry-after: 90\r\n\r\n', { error: 'status', retryAfterMs: 90_000 }],
  [
    'a date to retry after',
    'HTTP/1.1 503 Busy\r\nretry-after: Thu, 01 Jan 1970 00:02:00 GMT\r\n\r\n',
    { error: 'status', retryAfterMs: 120_000 },
  ],
])(
  'the result of a message has the status of the reply, or an error, if the receiver sends %s',
  async (_what, text, result) => {
    expect(await send(await answerWith(text))).toMatchObject(result);
  },
);

test('an untrusted certificate is reported as an error of TLS', async () => {
  const server = createTlsServer(certificate, (socket) => void socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  expect(await send(`https://localhost:${port}/`)).toMatchObject({ error: 'tls', status: null });
});

test('a cancelled attempt to send a message ends at once', async () => {
  const url = await answerWith('HTTP/1.1 ', true);
  const stop = new AbortController();
  const sent = send(url, stop.signal);
  stop.abort();

  expect(await sent).toMatchObject({ error: 'refused', status: null });
  expect(await send(url, stop.signal)).toMatchObject({ error: 'refused', status: null });
});

test('consecutive messages use one connection, unless the receiver closes it', async () => {
  const sockets = new Set<object>();
  const server = createHttpServer((request, response) => {
    sockets.add(request.socket);
    if (request.url === '/last') response.setHeader('connection', 'close');
    request.resume().on('end', () => response.end('ok'));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const connections = new Connections();
  onTestFinished(() => {
    connections.close();
    server.close();
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const next = async (path: string) => {
    const result = await post({
      url: url + path,
      headers: {},
      body: '{}',
      rules,
      lookUps: new SharedWork(),
      now: 0,
      connections,
    });
    return [result.error, result.body, sockets.size];
  };

  expect(await next('/')).toEqual([null, 'ok', 1]);
  expect(await next('/last')).toEqual([null, 'ok', 1]);
  expect(await next('/')).toEqual([null, 'ok', 2]);
});
