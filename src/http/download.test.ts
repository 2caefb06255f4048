import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { download } from './reply.ts';

/** Starts a server that sends a file in three parts. Generating the part with the number `failing` throws. */
async function startServer(failing?: number) {
  const made: number[] = [];
  async function* parts() {
    for (const at of [0, 1, 2]) {
      if (at === failing) throw new Error('no answer');
      made.push(at);
      yield `part ${at}\n`;
    }
  }
  const server = fastify();
  onTestFinished(() => server.close());
  server.get('/', async (_request, reply) => download('text/csv', 'parts.csv', parts()).sendBy(reply));
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  return { ask: (method = 'GET') => fetch(url, { method }), made };
}

test('a generated file is sent part by part', async () => {
  const { ask } = await startServer();

  const reply = await ask();

  expect(await reply.text()).toBe('part 0\npart 1\npart 2\n');
  expect(reply.headers.get('content-disposition')).toBe('attachment; filename="parts.csv"');
});

test('if the first part of a generated file fails, the reply is an error', async () => {
  const { ask } = await startServer(0);

  const reply = await ask();

  expect([reply.status, reply.headers.get('content-disposition')]).toEqual([500, null]);
  expect(await reply.text()).toContain('no answer');
});

test('if a later part of a generated file fails, the connection is closed before the file is complete', async () => {
  const { ask } = await startServer(1);

  const reply = await ask();

  await expect(reply.text()).rejects.toThrow();
});

test('for a HEAD request, only the first part of the file is generated', async () => {
  const { ask, made } = await startServer();

  const reply = await ask('HEAD');

  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'text/csv']);
  expect((await ask()).status).toBe(200);
  expect(made.slice(0, 2)).toEqual([0, 0]);
});
