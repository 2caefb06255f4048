import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Pipeline } from './pipeline.ts';

interface Served {
  port: number;
  /** The paths of the requests that the pipeline has passed to the listener so far. */
  begun: string[];
  /** The server's sockets. */
  sockets: Socket[];
  pipeline: Pipeline;
}

/** Starts a server with a pipeline, which answers one request of a connection at a time. */
async function serve(answer: (response: ServerResponse, path: string) => void): Promise<Served> {
  const pipeline = new Pipeline();
  const begun: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer(
    pipeline.listener(({ url = '' }, response) => {
      begun.push(url);
      answer(response, url);
    }),
  );
  server.on('connection', (socket) => sockets.push(socket));
  server.on('clientError', (_error, broken) => {
    const socket = sockets.find((one) => one === broken);
    if (socket) pipeline.whenAnswered(socket, () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return { port: address.port, begun, sockets, pipeline };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const paths = (count: number, name = '') => Array.from({ length: count }, (_, at) => `/${name}${at}`);

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Reads until `count` answers have arrived. Returns their bodies in order. */
async function readAnswers(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  socket.setEncoding('latin1');
  const bodies = () => [...text.matchAll(/\r\n\r\n([^H]*)/g)].map(([, body]) => body ?? '');
  while (bodies().length < count || bodies().at(-1) === '') {
    const [chunk] = await once(socket, 'data');
    text += chunk;
  }
  return bodies();
}

const echo = (response: ServerResponse, path: string) => {
  response.setHeader('content-length', path.length);
  response.end(path);
};

test('all pipelined requests are answered, in the order in which they were sent', async () => {
  const { port } = await serve((response, path) => setImmediate(echo, response, path));
  const socket = await open(port);

  socket.write(paths(300).map(get).join(''));

  expect(await readAnswers(socket, 300)).toEqual(paths(300));
});

test('only one request of a connection is processed at a time', async () => {
  let atWork = 0;
  let most = 0;
  const { port } = await serve((response, path) => {
    atWork += 1;
    most = Math.max(most, atWork);
    setImmediate(() => {
      atWork -= 1;
      echo(response, path);
    });
  });
  const socket = await open(port);

  socket.write(paths(50).map(get).join(''));
  await readAnswers(socket, 50);

  expect(most).toBe(1);
});

test('a request of another connection is answered before hundreds of pipelined requests', async () => {
  const { port, begun } = await serve(echo);
  const [greedy, modest] = [await open(port), await open(port)];
  const answers = readAnswers(greedy, 500);

  greedy.write(paths(500, 'greedy').map(get).join(''));
  modest.write(get('/modest'));
  await readAnswers(modest, 1);
  await answers;

  expect(begun.indexOf('/modest')).toBeLessThan(300);
});

test('the server stops reading from a connection whose client does not read the answers', async () => {
  const big = 'x'.repeat(100_000);
  const { port, begun, sockets } = await serve((response) => response.end(big));
  const socket = await open(port);
  socket.pause();

  // Writes until the system accepts no more data, because the server has stopped reading.
  const chunk = paths(1000).map(get).join('');
  let written = 0;
  while (socket.write(chunk) || (await isDrained(socket))) written += chunk.length;

  const [seen] = sockets;
  expect(begun.length).toBeLessThan(200);
  expect(seen?.bytesRead).toBeLessThan(written);
  expect(seen?.writableLength).toBeLessThan(2 * big.length);
});

/** Returns whether the socket's data was sent within half a second. */
async function isDrained(socket: Socket): Promise<boolean> {
  let hasDrained = false;
  socket.once('drain', () => {
    hasDrained = true;
  });
  for (let turn = 0; turn < 100 && !hasDrained; turn += 1) await new Promise((done) => setTimeout(done, 5));
  return hasDrained;
}

test('when a client disconnects, its connection is no longer busy and its waiting requests never start', async () => {
  const held: ServerResponse[] = [];
  const { port, begun, sockets, pipeline } = await serve((response) => held.push(response));
  const socket = await open(port);
  socket.write(paths(5).map(get).join(''));
  while (held.length === 0) await new Promise((done) => setImmediate(done));
  const [seen] = sockets;
  const [response] = held;
  if (!seen || !response) throw new Error('no request has arrived');

  socket.destroy();
  await once(response, 'close');

  expect(begun).toEqual(['/0']);
  expect(pipeline.isBusy(seen)).toBe(false);
});

test('data that is not a request is refused only after the earlier requests are answered', async () => {
  const { port } = await serve((response, path) => setImmediate(echo, response, path));
  const socket = await open(port);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });

  socket.write(`${paths(3).map(get).join('')}no request\r\n\r\n`);
  await once(socket, 'close');

  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
});

test('a request with a malformed body is refused at once', async () => {
  const { port } = await serve(() => undefined);
  const socket = await open(port);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });

  socket.write('POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n');
  await once(socket, 'close');

  expect(text).toMatch(/^HTTP\/1\.1 400 /);
});
