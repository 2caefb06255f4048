import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startMetricsServer } from './metrics-server.ts';

const SCRAPE = 'GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n';

/** Starts a server whose metrics can be read only after `letRead` is called. */
async function startServer() {
  let letRead: () => void = () => undefined;
  const mayRead = new Promise<void>((resolve) => {
    letRead = resolve;
  });
  let readings = 0;
  let port = 0;
  const server = await startMetricsServer({
    host: '127.0.0.1',
    port: 0,
    collect: async () => {
      readings += 1;
      await mayRead;
      return [];
    },
    log: {
      info: (_facts, text) => {
        port = Number(/:(\d+)\/metrics$/.exec(text)?.[1]);
      },
      warn: () => undefined,
    },
  });
  onTestFinished(() => server.close());
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket.on('error', () => undefined);
  };
  return { open, letRead, readings: () => readings };
}

/** Waits until a connection has received this many answers. */
async function answered(socket: Socket, count: number): Promise<void> {
  let text = '';
  while (text.split('HTTP/1.1 200 OK').length - 1 < count) text += (await once(socket, 'data'))[0];
}

test('concurrent requests, on one connection or on many, share one reading of the metrics', async () => {
  const { open, letRead, readings } = await startServer();
  const piped = await open();
  piped.write(SCRAPE.repeat(500));
  const others = await Promise.all(Array.from({ length: 20 }, open));
  for (const one of others) one.write(SCRAPE);

  const last = await open();
  last.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
  await answered(last, 1);

  expect(readings()).toBe(1);
  letRead();
  await Promise.all([answered(piped, 500), ...others.map((one) => answered(one, 1))]);
});

test('when a client opens a 101st connection, the server closes one of its idle connections', async () => {
  const { open } = await startServer();
  const first = await open();
  const closed = once(first, 'close');
  for (let at = 1; at < 100; at += 1) await open();
  expect(first.destroyed).toBe(false);

  await open();
  first.resume();

  await closed;
});
