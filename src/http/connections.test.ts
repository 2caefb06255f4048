import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test, vi } from 'vitest';
import { closeConnectionsOnStop, createConnections } from './connections.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const CLIENTS = 40;

test('when the server stops, connections that still wait in the kernel are accepted and answered', async () => {
  const { serverFactory, gate } = createConnections();
  const server = fastify({ serverFactory, return503OnClosing: false });
  onTestFinished(() => server.close());
  closeConnectionsOnStop(server, { isStopping: () => true, drain: async () => undefined }, gate);
  server.get('/', async () => 'here');
  const { port } = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  const visit = async () => {
    const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1');
    onTestFinished(() => void socket.destroy());
    let heard = '';
    socket.on('data', (text) => {
      heard += text;
    });
    const ended = once(socket, 'close').catch((error: NodeJS.ErrnoException) => {
      heard = error.code ?? '';
    });
    await once(socket, 'connect');
    socket.write(REQUEST);
    return ended.then(() => heard);
  };
  // All clients connect at once. The server accepts only one connection per turn of the event loop.
  const heard = Array.from({ length: CLIENTS }, visit);
  await new Promise((done) => setImmediate(done));

  await server.close();

  for (const text of await Promise.all(heard)) {
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).toContain('connection: close');
  }
});

test('after a failed start, the close leaves no timers, which would delay the exit', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { serverFactory, gate } = createConnections();
  const server = fastify({ serverFactory, return503OnClosing: false });
  closeConnectionsOnStop(server, { isStopping: () => false, drain: async () => undefined }, gate);
  const failed = server.listen({ port: Number(Object(other.address()).port), host: '127.0.0.1' });
  await expect(failed).rejects.toThrow('EADDRINUSE');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());

  await server.close();

  expect(vi.getTimerCount()).toBe(0);
});
