import type { Client, Reply, RequestOptions } from './client.ts';
import type { SeededUser, TestApp } from './start-app.ts';

/** Asks a route of the own account with a CSRF token; `path` follows /authsvc/api/account. */
export async function change(
  client: Client,
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  json: object = {},
  options: RequestOptions = {},
): Promise<Reply> {
  const headers = { 'x-csrf-token': await client.csrf(), ...options.headers };
  return client.request(method, `/authsvc/api/account${path}`, { json, ...options, headers });
}

/** What GET /authsvc/api/account says of the account, or of the session. */
export async function accountOf(client: Client): Promise<Record<string, unknown>> {
  const { body } = await client.get('/authsvc/api/account');
  return { ...Object(body.account), session: body.session, confirmed_until: body.confirmed_until };
}

/** The sessions of a client's user. */
export async function sessionsOf(client: Client): Promise<Record<string, unknown>[]> {
  const { sessions } = (await client.get('/authsvc/api/account/sessions')).body;
  return Array.isArray(sessions) ? sessions : [];
}

/** A client whose session of the user is not confirmed: it went to another account and back. */
export async function unconfirmed(app: TestApp, user: SeededUser): Promise<Client> {
  const client = await app.signIn(user);
  const { current_session_id: id } = (await client.get('/authsvc/api/account-sessions')).body;
  await client.login(await app.seedUser());
  await client.post('/authsvc/api/switch-session', { session_id: id });
  return client;
}
