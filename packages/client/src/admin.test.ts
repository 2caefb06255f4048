import { createServer, type RequestListener } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AdminError, createAdmin } from './admin.ts';
import { ClientError } from './client-error.ts';

/** Creates a client whose service gives one reply. Also returns the requests that it sends. */
function adminWith(status: number, reply: object) {
  const sent: { url: string; method: string; body: string }[] = [];
  const fetchIt: typeof fetch = async (url, init) => {
    const request = new Request(String(url), init);
    sent.push({ url: request.url, method: request.method, body: await request.text() });
    return Response.json(reply, { status });
  };
  return { sent, admin: createAdmin({ server: 'https://auth.example.com', token: 'tok_x', fetch: fetchIt }) };
}

test('the name of an operation is its method and its path, whose parameters come from the input', async () => {
  const { sent, admin } = adminWith(200, { success: true });

  await admin.call('GET /users', { role: ['a', 'b'], is_active: true });
  await admin.call('DELETE /users/:id/passkeys/:ref', { id: 7, ref: 'a/b?c' });
  await admin.call('PATCH /users/:id', { id: 7, version: 2, full_name: 'Ada' });
  await admin.download('GET /users.csv', { q: 'ada' });

  const api = 'https://auth.example.com/authsvc/api/admin';
  expect(sent).toEqual([
    { method: 'GET', url: `${api}/users?role=a&role=b&is_active=true`, body: '' },
    { method: 'DELETE', url: `${api}/users/7/passkeys/a%2Fb%3Fc`, body: '' },
    { method: 'PATCH', url: `${api}/users/7`, body: '{"version":2,"full_name":"Ada"}' },
    { method: 'GET', url: `${api}/users.csv?q=ada`, body: '' },
  ]);
});

test.each([['..'], ['.'], [''], [undefined], [null]])(
  'a path parameter %j is a TypeError, and nothing is sent',
  async (ref) => {
    const { sent, admin } = adminWith(200, { success: true });
    const input = { id: 7, ref, version: 3 } as unknown as { id: number; ref: string };

    await expect(admin.call('DELETE /users/:id/passkeys/:ref', input)).rejects.toThrow(TypeError);

    expect(sent).toEqual([]);
  },
);

test('a reply with an error code is an AdminError, also if a later version of the service has added the code', async () => {
  const { admin } = adminWith(409, { success: false, code: 'ADDED_LATER', message: 'No', hint: 'Wait', field: 'role' });

  const error: unknown = await admin.call('GET /overview', {}).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(AdminError);
  expect(error).toMatchObject({ reason: 'refused', code: 'ADDED_LATER', status: 409, hint: 'Wait', field: 'role' });
});

test('a reply without an error code, or one that does not come from authsvc, is a ClientError', async () => {
  const errorOf = (status: number, reply: object): Promise<unknown> =>
    adminWith(status, reply)
      .admin.call('GET /overview', {})
      .catch((thrown: unknown) => thrown);

  const refused = await errorOf(403, { message: 'Forbidden' });
  const unexpected = await errorOf(200, { hello: 'world' });

  expect(refused).toBeInstanceOf(ClientError);
  expect(refused).not.toBeInstanceOf(AdminError);
  expect(refused).toMatchObject({ reason: 'refused', code: undefined, message: 'Forbidden' });
  expect(unexpected).toMatchObject({ name: 'ClientError', reason: 'unexpected', status: 200 });
});

/** Creates a client of a server that runs until the test ends. */
async function adminOf(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  await new Promise((listening) => server.once('listening', listening));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return createAdmin({ server: `http://127.0.0.1:${port}`, token: 'tok_x' });
}

test('a call that is cancelled while the body arrives throws the reason of the signal', async () => {
  const stop = new AbortController();
  const admin = createAdmin({
    server: 'https://auth.example.com',
    token: 'tok_x',
    fetch: async (_url, init) => {
      const body = new ReadableStream({
        start: (controller) => init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason)),
      });
      setTimeout(() => stop.abort(new Error('cancelled')), 10);
      return new Response(body);
    },
  });

  await expect(admin.call('GET /overview', {}, { signal: stop.signal })).rejects.toThrow(/^cancelled$/);
});

test('a page of a list may have several megabytes', async () => {
  const body = 'x'.repeat(1024 * 1024);
  const admin = await adminOf((_request, response) => {
    response.end(JSON.stringify({ success: true, items: [{ response_body: body }], next: null }));
  });

  const { items } = await admin.call('GET /webhooks/:id/deliveries', { id: 'wh_1', limit: 200 });

  expect(items[0]?.response_body).toBe(body);
});

test('the time limit of a request does not end a download', async () => {
  const sent: (AbortSignal | null | undefined)[] = [];
  const expired = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const limit = new AbortController();
    setTimeout(() => limit.abort(new DOMException('late', 'TimeoutError')), 50);
    return limit.signal;
  });
  onTestFinished(() => expired.mockRestore());
  const admin = createAdmin({
    server: 'https://auth.example.com',
    token: 'tok_x',
    fetch: async (_url, init) => {
      sent.push(init?.signal);
      return new Response('id\n');
    },
  });

  await admin.download('GET /users.csv', {});
  await wait(100);

  expect(sent.map((signal) => signal?.aborted)).toEqual([false]);
});

test('if Retry-After is longer than a timer can wait, the call keeps waiting and sends no second request', async () => {
  let requests = 0;
  const admin = await adminOf((_request, response) => {
    requests += 1;
    response.writeHead(429, { 'retry-after': '2592000' }).end('{"success":false,"code":"TOO_MANY_REQUESTS"}');
  });

  const called = admin.call('GET /overview', {}, { signal: AbortSignal.timeout(500) });

  await expect(called).rejects.toThrow(/timeout/);
  expect(requests).toBe(1);
});
