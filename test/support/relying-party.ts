import { createHash } from 'node:crypto';
import { addApplication, type NewApplication } from '../../src/applications/add-application.ts';
import { randomHex } from '../../src/lib/random.ts';
import type { Client, Reply } from './client.ts';
import type { SeededUser, TestApp } from './start-app.ts';

export const CALLBACK = 'https://wiki.example.test/cb?keep=1';
export const PLAIN_CALLBACK = 'https://wiki.example.test/plain';
export const VERIFIER = 'a-verifier-of-the-tests-that-is-long-enough-0123';
const FORM = 'application/x-www-form-urlencoded';

/** An application that signs people in by OpenID Connect. The secret of a public client is empty. */
export interface RelyingParty {
  key: string;
  secret: string;
}

type Fields = Record<string, string | undefined>;

const given = (fields: Fields): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Registers an application with these redirect URIs. */
export async function registerRelyingParty(
  { change, services }: Pick<TestApp, 'change' | 'services'>,
  fields: Partial<NewApplication> = {},
): Promise<RelyingParty> {
  const usual = { key: `wiki-${randomHex(4)}`, name: 'Wiki', redirectUris: [CALLBACK, PLAIN_CALLBACK] };
  const { application, secret = '' } = await addApplication(change(), services.settings, { ...usual, ...fields });
  return { key: application.key, secret };
}

/** Returns the parameters of a correct authorization request. A parameter that is set to undefined is left out. */
export const requestOf = (rp: RelyingParty, more: Fields = {}): Record<string, string> =>
  given({
    client_id: rp.key,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile',
    state: 's',
    code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });

/** Sends an authorization request and returns the reply of the service. */
export const authorize = (browser: Client, rp: RelyingParty, more: Fields = {}): Promise<Reply> =>
  browser.page(`/authsvc/oidc/authorize?${new URLSearchParams(requestOf(rp, more))}`);

/** Returns a parameter of the URL to which a reply redirects the browser; empty if there is none. */
export const sentTo = ({ headers }: Reply, name: string): string =>
  new URL(headers.location ?? '', 'http://here.test').searchParams.get(name) ?? '';

/** Returns the path of this service to which a reply redirects the browser. */
export function pathOf({ headers }: Reply): string {
  const { pathname, search } = new URL(headers.location ?? '', 'http://here.test');
  return pathname + search;
}

/** Follows redirects within the service, until a page or a redirect to another host. */
export async function follow(browser: Client, first: Reply): Promise<Reply> {
  let reply = first;
  for (let hops = 0; hops < 8 && reply.headers.location?.startsWith('/'); hops += 1)
    reply = await browser.page(reply.headers.location);
  return reply;
}

/**
 * Calls an endpoint as the application does: with its secret in Basic authentication, or with only its client id if it
 * has no secret.
 */
export const callAs = (client: Client, rp: RelyingParty, endpoint: string, fields: Fields): Promise<Reply> =>
  client.request('POST', `/authsvc/oidc/${endpoint}`, {
    raw: new URLSearchParams(given({ ...(rp.secret === '' ? { client_id: rp.key } : {}), ...fields })).toString(),
    type: FORM,
    headers: {
      authorization: rp.secret === '' ? undefined : `Basic ${Buffer.from(`${rp.key}:${rp.secret}`).toString('base64')}`,
    },
  });

/** Exchanges a code for tokens. */
export const redeem = (client: Client, rp: RelyingParty, code: string, more: Fields = {}): Promise<Reply> =>
  callAs(client, rp, 'token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...more,
  });

/** Exchanges a refresh token for new tokens. */
export const refresh = (client: Client, rp: RelyingParty, token: unknown, more: Fields = {}): Promise<Reply> =>
  callAs(client, rp, 'token', { grant_type: 'refresh_token', refresh_token: String(token), ...more });

/** Requests the claims of an access token's user. */
export const userinfo = (client: Client, token: unknown): Promise<Reply> =>
  client.get('/authsvc/oidc/userinfo', { headers: { authorization: `Bearer ${token}` } });

/** Returns the claims of a JWT without verifying it. */
export function claimsIn(jwt: unknown): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(String(jwt).split('.')[1] ?? '', 'base64url').toString());
  return { ...Object(value) };
}

/** Creates a user who may use the applications, and a browser in which this user is signed in. */
export async function personOf(app: TestApp, ...rps: RelyingParty[]): Promise<{ user: SeededUser; browser: Client }> {
  const user = await app.seedUser({ apps: ['authsvc', ...rps.map(({ key }) => key)] });
  return { user, browser: await app.signIn(user) };
}

/** Signs a browser in to an application. */
export async function signInTo(
  client: Client,
  browser: Client,
  rp: RelyingParty,
  more: Fields = {},
): Promise<Record<string, unknown>> {
  const code = sentTo(await authorize(browser, rp, more), 'code');
  const { status, text, body } = await redeem(client, rp, code);
  if (status !== 200) throw new Error(`the code was answered with ${status}: ${text}`);
  return body;
}

/** Returns the status of an error reply, and its error code (RFC 6749 §5.2). */
export const outcomeOf = ({ status, body }: Reply): unknown[] => [status, body.error];

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** Requests the tokens of a device. */
export const pollDevice = (client: Client, rp: RelyingParty, code: unknown): Promise<Reply> =>
  callAs(client, rp, 'token', { grant_type: DEVICE_GRANT, device_code: String(code) });

/**
 * Starts the sign-in of a device, and approves it in the person's browser. Returns the code with which the device polls.
 */
export async function approveDevice(client: Client, browser: Client, rp: RelyingParty): Promise<string> {
  const { body } = await callAs(client, rp, 'device_authorization', { scope: 'openid' });
  const _csrf = await browser.csrf('/authsvc/accounts');
  const fields = { user_code: String(body.user_code), decision: 'approve', _csrf };
  const raw = new URLSearchParams(fields).toString();
  const { status, text } = await browser.request('POST', '/authsvc/oidc/device', { raw, type: FORM });
  if (status !== 200) throw new Error(`the approval was answered with ${status}: ${text}`);
  return String(body.device_code);
}
