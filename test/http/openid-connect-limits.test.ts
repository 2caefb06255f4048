import { expect, test } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import {
  authorize,
  callAs,
  personOf,
  type RelyingParty,
  registerRelyingParty,
  requestOf,
} from '../support/relying-party.ts';
import { sharedApp } from './support.ts';

let addresses = 0;
function freshAddress(): string {
  addresses += 1;
  return `198.19.0.${addresses}`;
}

/** Sends requests one after another, and returns their statuses. */
async function statusesOf(count: number, send: (at: number) => Promise<Reply>): Promise<number[]> {
  const statuses: number[] = [];
  for (let at = 0; at < count; at += 1) statuses.push((await send(at)).status);
  return statuses;
}

const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);

eachDatabase('limits of OpenID Connect', (database) => {
  const app = sharedApp({ database });
  const register = (fields: Partial<NewApplication> = {}) => registerRelyingParty(app(), fields);
  const at = (address: string): Client => {
    const client = app().client();
    client.headers['x-forwarded-for'] = address;
    return client;
  };
  const askFor = (client: Client, rp: RelyingParty, endpoint: string) =>
    callAs(client, rp, endpoint, { grant_type: 'client_credentials', token: 't' });
  const wrong = (rp: RelyingParty): RelyingParty => ({ ...rp, secret: `acs_${'0'.repeat(64)}` });

  test('ten wrong secrets per minute are allowed, by address and application, over all endpoints', async () => {
    const [rp, other] = [await register(), await register()];
    const address = freshAddress();
    const endpoints = ['token', 'introspect', 'revoke', 'par'];

    const statuses = await statusesOf(10, (index) =>
      askFor(at(address), wrong(rp), endpoints[index % endpoints.length] ?? ''),
    );
    const refused = await askFor(at(address), wrong(rp), 'token');
    const replies = [
      await askFor(at(address), wrong(other), 'token'),
      await askFor(at(freshAddress()), wrong(rp), 'token'),
      await askFor(at(address), rp, 'token'),
    ];

    expect(statuses).toEqual(times(10, 401));
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(replies.map(({ status }) => status)).toEqual([401, 401, 200]);
  });

  test('a wrong secret in the body counts like one in Basic authentication', async () => {
    const rp = await register();
    const client = at(freshAddress());
    const inBody = () =>
      callAs(client, { ...rp, secret: '' }, 'token', { grant_type: 'client_credentials', client_secret: 'acs_wrong' });

    expect(await statusesOf(11, inBody)).toEqual([...times(10, 401), 429]);
  });

  test('300 token requests per minute are allowed, by address and application', async () => {
    const [rp, other] = [await register(), await register()];
    const address = freshAddress();

    const statuses = await statusesOf(300, () => askFor(at(address), rp, 'token'));
    const refused = await askFor(at(address), rp, 'token');

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect((await askFor(at(address), other, 'token')).status).toBe(200);
    expect((await askFor(at(freshAddress()), rp, 'token')).status).toBe(200);
  });

  test('120 authorization requests per minute and address are allowed, without a limit for signed-in browsers', async () => {
    const rp = await register();
    const { browser } = await personOf(app(), rp);
    const address = freshAddress();
    browser.headers['x-forwarded-for'] = address;

    const signedIn = await statusesOf(125, () => authorize(browser, rp));
    const signedOut = await statusesOf(121, () => authorize(at(address), rp));

    expect(new Set(signedIn)).toEqual(new Set([303]));
    expect(signedOut).toEqual([...times(120, 303), 429]);
  });

  test('eight wrong user codes per minute and address are allowed, on the page and in decisions together', async () => {
    const rp = await register({ deviceFlow: true });
    const { browser } = await personOf(app(), rp);
    browser.headers['x-forwarded-for'] = freshAddress();
    const _csrf = await browser.csrf('/authsvc/accounts');
    const look = (code: string) => browser.page(`/authsvc/oidc/device?user_code=${code}`);
    const decide = () =>
      browser.request('POST', '/authsvc/oidc/device', {
        raw: new URLSearchParams({ user_code: 'BBBB-BBBB', decision: 'approve', _csrf }).toString(),
        type: 'application/x-www-form-urlencoded',
      });

    const statuses = await statusesOf(8, (index) => (index % 2 === 0 ? look('BBBB-BBBB') : decide()));
    const refused = [await look('CCCC-CCCC'), await decide()];
    const { body } = await callAs(app().client(), rp, 'device_authorization', { scope: 'openid' });
    const right = await look(String(body.user_code));

    expect(statuses).toEqual(times(8, 404));
    expect(refused.map(({ status }) => status)).toEqual([429, 429]);
    expect(refused[0]?.headers['content-type']).toMatch(/^text\/html/);
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
    expect(right.status).toBe(200);
  });

  test('all client ids that no application has share one budget', async () => {
    await register();
    const client = at(freshAddress());
    const unknown = (index: number) =>
      client.request('POST', '/authsvc/oidc/device_authorization', {
        raw: new URLSearchParams(requestOf({ key: `nothing-${index}`, secret: '' })).toString(),
        type: 'application/x-www-form-urlencoded',
      });

    expect(await statusesOf(21, unknown)).toEqual([...times(20, 401), 429]);
  });
});
