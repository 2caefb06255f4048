import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { boundUnfinishedBodies } from './bodies.ts';

async function serve(max: number): Promise<number> {
  const server = fastify({ trustProxy: true });
  onTestFinished(() => server.close());
  boundUnfinishedBodies(server, max);
  server.post('/', async ({ body }) => ({ got: body }));
  return Number(new URL(await server.listen({ port: 0, host: '127.0.0.1' })).port);
}

interface Post {
  socket: Socket;
  /**
   * Sends the rest of the body. Returns the first line of the answer, or an empty string if the server closed the
   * connection.
   */
  finish(): Promise<string>;
}

/** Sends the headers and the first byte of a body. Waits until the server has answered `100 Continue`. */
async function begin(port: number, address: string): Promise<Post> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const head = ['POST / HTTP/1.1', 'Host: a', `X-Forwarded-For: ${address}`, 'Expect: 100-continue'];
  socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n`);
  await once(socket, 'data');
  socket.write('{');
  return {
    socket,
    finish: async () => {
      const answered = once(socket, 'data').then(([chunk]) => String(chunk).split('\r\n')[0] ?? '');
      if (socket.destroyed) return '';
      socket.write('}');
      return Promise.race([answered, once(socket, 'close').then(() => '')]);
    },
  };
}

test('when more request bodies are unfinished than allowed, the client with the most of them loses its oldest connection', async () => {
  const port = await serve(3);
  const modest = await begin(port, '192.0.2.1');
  const [oldest, ...others] = [await begin(port, '192.0.2.2'), await begin(port, '192.0.2.2')];
  if (!oldest) throw new Error('nothing was begun');

  const closed = once(oldest.socket, 'close');
  const newcomer = await begin(port, '192.0.2.3');
  await closed;

  for (const post of [modest, newcomer, ...others]) expect(await post.finish()).toBe('HTTP/1.1 200 OK');
});

test('a body that has arrived completely no longer counts towards the limit', async () => {
  const port = await serve(1);

  for (let i = 0; i < 3; i += 1) {
    const post = await begin(port, '192.0.2.1');
    expect(await post.finish()).toBe('HTTP/1.1 200 OK');
  }
});
