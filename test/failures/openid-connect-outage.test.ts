import { rm } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { register } from '../lifecycle/application-load.ts';
import { addUser, makeDatabase, type Owner, type Service, startService } from '../lifecycle/support.ts';
import type { Client, Reply } from '../support/client.ts';
import { freshDatabase } from '../support/each-database.ts';
import { startPostgres } from '../support/postgres.ts';
import {
  authorize,
  callAs,
  pathOf,
  type RelyingParty,
  redeem,
  refresh,
  requestOf,
  sentTo,
  signInTo,
  userinfo,
} from '../support/relying-party.ts';
import { eventually } from './support.ts';

vi.setConfig({ testTimeout: 180_000 });

const FORM = 'application/x-www-form-urlencoded';
const settings = { env: 'dev', RATE_LIMITS: 'off', BASE_URL: 'http://localhost:3999' };

/** The tokens, codes and pages that an application and a browser have before the outage. */
interface Held {
  service: Service;
  rp: RelyingParty;
  browser: Client;
  csrf: string;
  /** A code that has not been used. */
  code: string;
  tokens: Record<string, unknown>;
  device: Record<string, unknown>;
  /** A page whose authorization request has no answer yet. */
  waiting: string;
}

async function begin(t: Owner, url: string, folder: string): Promise<Held> {
  const place = { url, folder, settings };
  await makeDatabase(t, place);
  const rp = await register(t, place, 'wiki', ['--device']);
  const user = await addUser(t, place, 'ada', ['--app', 'authsvc', '--app', 'wiki']);
  const service = await startService(t, place);
  const browser = service.client();
  await browser.login(user);
  const csrf = await browser.csrf('/authsvc/accounts');
  const tokens = await signInTo(service.client(), browser, rp);
  const { body: device } = await callAs(service.client(), rp, 'device_authorization', { scope: 'openid' });
  const waiting = pathOf(await authorize(service.client(), rp));
  const code = sentTo(await authorize(browser, rp), 'code');
  return { service, rp, browser, csrf, code, tokens, device, waiting };
}

/** Calls every endpoint for applications. Each request succeeds if the database is available. */
function askEndpoints({ service, rp, code, tokens, device }: Held): Record<string, Promise<Reply>> {
  const client = service.client();
  const token = String(tokens.access_token);
  const headers = { authorization: `Bearer ${token}` };
  return {
    par: callAs(client, rp, 'par', requestOf(rp)),
    code: redeem(client, rp, code),
    refresh: refresh(client, rp, tokens.refresh_token),
    'client credentials': callAs(client, rp, 'token', { grant_type: 'client_credentials' }),
    introspect: callAs(client, rp, 'introspect', { token }),
    revoke: callAs(client, rp, 'revoke', { token }),
    'device authorization': callAs(client, rp, 'device_authorization', { scope: 'openid' }),
    'device code': callAs(client, rp, 'token', {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: String(device.device_code),
    }),
    userinfo: userinfo(client, token),
    'userinfo by POST': client.request('POST', '/authsvc/oidc/userinfo', { headers }),
  };
}

/** Opens every URL for people. */
function visitPages({ rp, browser, service, csrf, device, tokens, waiting }: Held): Record<string, Promise<Reply>> {
  const user_code = String(device.user_code);
  const decision = { raw: new URLSearchParams({ user_code, decision: 'deny', _csrf: csrf }).toString(), type: FORM };
  const hint = new URLSearchParams({ id_token_hint: String(tokens.id_token) });
  return {
    authorize: authorize(browser, rp),
    'authorize, signed out': authorize(service.client(), rp),
    interaction: browser.page(waiting),
    'device page': browser.page(`/authsvc/oidc/device?${new URLSearchParams({ user_code })}`),
    'device form': browser.request('POST', '/authsvc/oidc/device', { ...decision, headers: { accept: 'text/html' } }),
    logout: browser.page(`/authsvc/oidc/logout?${hint}`),
  };
}

/** Applies `say` to each reply, by the name of its request. */
async function told(replies: Record<string, Promise<Reply>>, say: (reply: Reply) => unknown) {
  const found = Object.entries(replies).map(
    async ([name, reply]): Promise<[string, unknown]> => [name, say(await reply)],
  );
  return Object.fromEntries(await Promise.all(found));
}

const sayOAuth = ({ status, headers, body }: Reply) => [status, headers['retry-after'], Object.keys(body), body.error];
const sayPage = ({ status, headers }: Reply) => [status, headers['retry-after'], headers['content-type']];
const OAUTH_OUTAGE = [503, '5', ['error', 'error_description'], 'temporarily_unavailable'];
const PAGE_OUTAGE = [503, '5', 'text/html; charset=utf-8'];
const all = (outcome: unknown, replies: object) =>
  Object.fromEntries(Object.keys(replies).map((name) => [name, outcome]));

/**
 * Checks that the code, the refresh token and the session from before the outage still work. Uses up the code and the
 * refresh token.
 */
async function expectHeld({ service, rp, browser, code, tokens }: Held): Promise<void> {
  const client = service.client();
  const redeemed = await redeem(client, rp, code);
  const refreshed = await refresh(client, rp, tokens.refresh_token);
  const asked = await userinfo(client, refreshed.body.access_token);
  expect([redeemed.status, refreshed.status, asked.status]).toEqual([200, 200, 200]);
  expect(await browser.isSignedIn()).toBe(true);
}

test('PostgreSQL is unavailable: every OpenID Connect endpoint reports the outage, and no code or token is used up', async (t) => {
  const server = await startPostgres();
  t.onTestFinished(() => server.stop());
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const held = await begin(t, server.url, fresh.folder);
  const { service } = held;

  await server.halt();
  const [endpoints, pages] = [askEndpoints(held), visitPages(held)];
  const publics = ['/.well-known/openid-configuration', '/authsvc/oidc/jwks'].map((path) => service.client().get(path));

  expect(await told(endpoints, sayOAuth)).toEqual(all(OAUTH_OUTAGE, endpoints));
  expect(await told(pages, sayPage)).toEqual(all(PAGE_OUTAGE, pages));
  for (const { status, headers } of await Promise.all(publics))
    expect([status, headers['retry-after']]).toEqual([503, '5']);
  await server.resume();
  await eventually(async () => (await service.client().get('/readyz')).status === 200);
  await expectHeld(held);
});

test('the SQLite file is deleted: OpenID Connect requests that write get the outage error, and those that only read are answered', async (t) => {
  const fresh = await freshDatabase('sqlite');
  t.onTestFinished(fresh.drop);
  const held = await begin(t, fresh.url, fresh.folder);

  await rm(fresh.url.replace('sqlite:', ''));
  // Requests that only read are answered from the file, which the service still has open.
  const { introspect, userinfo: asked, 'userinfo by POST': byPost, ...writes } = askEndpoints(held);
  const { 'device page': page, ...changes } = visitPages(held);

  expect(await told(writes, sayOAuth)).toEqual(all(OAUTH_OUTAGE, writes));
  expect(await told(changes, sayPage)).toEqual(all(PAGE_OUTAGE, changes));
  for (const reply of [introspect, asked, byPost, page]) expect((await reply)?.status).toBe(200);
});
