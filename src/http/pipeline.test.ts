import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Pipeline } from './pipeline.ts';

interface Served {
  port: number;
  /** The paths that were handed over so far. */
  begun: string[];
  /** The connections as the server sees them. */
  sockets: Socket[];
  pipeline: Pipeline;
}

/** Serves through a pipeline, one request of a connection at a time. */
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

/** Reads until the text holds so many answers; gives the bodies in their order. */
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

test('requests that were sent at once are answered in their order, all of them', async () => {
  const { port } = await serve((response, path) => setImmediate(echo, response, path));
  const socket = await open(port);

  socket.write(paths(300).map(get).join(''));

  expect(await readAnswers(socket, 300)).toEqual(paths(300));
});

test('one request of a connection is at work at a time', async () => {
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

test('a request of another connection is answered before hundreds that were sent at once', async () => {
  const { port, begun } = await serve(echo);
  const [greedy, modest] = [await open(port), await open(port)];
  const answers = readAnswers(greedy, 500);

  greedy.write(paths(500, 'greedy').map(get).join(''));
  modest.write(get('/modest'));
  await readAnswers(modest, 1);
  await answers;

  expect(begun.indexOf('/modest')).toBeLessThan(300);
});

test('a connection whose answers are not read is not read either', async () => {
  const big = 'x'.repeat(100_000);
  const { port, begun, sockets } = await serve((response) => response.end(big));
  const socket = await open(port);
  socket.pause();

  // Until the system takes no more, because the other end has stopped reading.
  const chunk = paths(1000).map(get).join('');
  let written = 0;
  while (socket.write(chunk) || (await isDrained(socket))) written += chunk.length;

  const [seen] = sockets;
  expect(begun.length).toBeLessThan(200);
  expect(seen?.bytesRead).toBeLessThan(written);
  expect(seen?.writableLength).toBeLessThan(2 * big.length);
});

/** Whether what was written has left, before a hundred turns of another connection's echo have passed. */
async function isDrained(socket: Socket): Promise<boolean> {
  let hasDrained = false;
  socket.once('drain', () => {
    hasDrained = true;
  });
  for (let turn = 0; turn < 100 && !hasDrained; turn += 1) await new Promise((done) => setTimeout(done, 5));
  return hasDrained;
}

test('a client that goes away leaves nothing at work, and its other requests are not begun', async () => {
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

test('what is no request is refused after the requests before it have their answers', async () => {
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

test('a body that breaks off in the middle is refused at once', async () => {
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
