import { expect, test } from 'vitest';
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

test('a reply with an error code is an AdminError, also if a later version of the service has added the code', async () => {
  const { admin } = adminWith(409, { success: false, code: 'ADDED_LATER', message: 'No', hint: 'Wait', field: 'role' });

  const error: unknown = await admin.call('GET /overview', {}).catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(AdminError);
  expect(error).toMatchObject({ reason: 'refused', code: 'ADDED_LATER', status: 409, hint: 'Wait', field: 'role' });
});

test('a reply without an error code, or of another server, is a ClientError', async () => {
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
