import type { Client, Reply, RequestOptions } from './client.ts';
import type { SeededUser, TestApp } from './start-app.ts';

/** Calls a route of the account pages with a CSRF token. `path` is the part after /authsvc/api/account. */
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

/** Returns the account and the confirmation of the session from GET /authsvc/api/account. */
export async function accountOf(client: Client): Promise<Record<string, unknown>> {
  const { body } = await client.get('/authsvc/api/account');
  return { ...Object(body.account), session: body.session, confirmed_until: body.confirmed_until };
}

/** Lists the sessions of a client's user. */
export async function sessionsOf(client: Client): Promise<Record<string, unknown>[]> {
  const { sessions } = (await client.get('/authsvc/api/account/sessions')).body;
  return Array.isArray(sessions) ? sessions : [];
}

/**
 * Creates a client of the user whose session is not confirmed. The client switches to another account and back, which
 * ends the confirmation.
 */
export async function unconfirmed(app: TestApp, user: SeededUser): Promise<Client> {
  const client = await app.signIn(user);
  const { current_session_id: id } = (await client.get('/authsvc/api/account-sessions')).body;
  await client.login(await app.seedUser());
  await client.post('/authsvc/api/switch-session', { session_id: id });
  return client;
}
