import { afterEach, expect, test, vi } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import {
  callAs,
  outcomeOf,
  personOf,
  pollDevice,
  type RelyingParty,
  registerRelyingParty,
} from '../support/relying-party.ts';
import { sharedApp } from './support.ts';

const FORM = 'application/x-www-form-urlencoded';
/** Moves the clock of this process forward. The OpenID Connect library uses the same clock. */
const advance = (ms: number): void => void vi.setSystemTime(Date.now() + ms);
afterEach(() => void vi.useRealTimers());

eachDatabase('devices that sign in by OpenID Connect', (database) => {
  const app = sharedApp({ database });
  const register = (fields: Partial<NewApplication> = {}) =>
    registerRelyingParty(app(), { deviceFlow: true, redirectUris: [], ...fields });
  const program = () => app().client();
  const begin = async (rp: RelyingParty) =>
    (await callAs(program(), rp, 'device_authorization', { scope: 'openid profile' })).body;
  const page = (browser: Client, code: unknown) =>
    browser.page(`/authsvc/oidc/device?${new URLSearchParams({ user_code: String(code) })}`);
  const decide = async (browser: Client, code: unknown, decision: string): Promise<Reply> => {
    const fields = { user_code: String(code), decision, _csrf: await browser.csrf('/authsvc/accounts') };
    return browser.request('POST', '/authsvc/oidc/device', { raw: new URLSearchParams(fields).toString(), type: FORM });
  };

  test('get their tokens once, and only after a person has approved the request', async () => {
    const rp = await register({ name: 'Television' });
    const { browser } = await personOf(app(), rp);
    const begun = await begin(rp);

    const shown = await page(browser, begun.user_code);
    const early = await pollDevice(program(), rp, begun.device_code);
    await decide(browser, String(begun.user_code).toLowerCase().replaceAll('-', ' '), 'approve');
    advance(6 * SECOND_MS);
    const tokens = await pollDevice(program(), rp, begun.device_code);
    advance(6 * SECOND_MS);
    const again = await pollDevice(program(), rp, begun.device_code);

    expect([begun.expires_in, begun.interval]).toEqual([900, 5]);
    expect(begun.verification_uri).toBe(`${app().services.baseUrl()}/authsvc/oidc/device`);
    expect(begun.verification_uri_complete).toContain(String(begun.user_code));
    for (const part of ['Television', String(begun.user_code), 'name="_csrf"', 'value="deny"'])
      expect(shown.text).toContain(part);
    expect(outcomeOf(early)).toEqual([400, 'authorization_pending']);
    expect(Object.keys(tokens.body)).toEqual(expect.arrayContaining(['access_token', 'refresh_token', 'id_token']));
    expect(outcomeOf(again)).toEqual([400, 'invalid_grant']);
  });

  test('must not poll too often: each violation adds five seconds to the interval', async () => {
    const rp = await register();
    const { device_code: code } = await begin(rp);
    const poll = async () => outcomeOf(await pollDevice(program(), rp, code))[1];

    const first = await poll();
    const soon = await poll();
    advance(6 * SECOND_MS);
    const stillSoon = await poll();
    advance(30 * SECOND_MS);

    expect([first, soon, stillSoon, await poll()]).toEqual([
      'authorization_pending',
      'slow_down',
      'slow_down',
      'authorization_pending',
    ]);
  });

  test('keep waiting although another application polls with their code', async () => {
    const [rp, other] = [await register(), await register({ isPublic: true })];
    const { device_code: code } = await begin(rp);

    const foreign = [await pollDevice(program(), other, code), await pollDevice(program(), other, code)];
    const own = await pollDevice(program(), rp, code);

    expect(foreign.map(outcomeOf)).toEqual(foreign.map(() => [400, 'invalid_grant']));
    expect(outcomeOf(own)).toEqual([400, 'authorization_pending']);
  });

  test('are told that they were denied, or that they are too late', async () => {
    const rp = await register();
    const { browser } = await personOf(app(), rp);
    const [denied, late] = [await begin(rp), await begin(rp)];

    await decide(browser, denied.user_code, 'deny');
    const refused = await pollDevice(program(), rp, denied.device_code);
    advance(16 * MINUTE_MS);
    const expired = await pollDevice(program(), rp, late.device_code);

    expect(outcomeOf(refused)).toEqual([400, 'access_denied']);
    expect(outcomeOf(expired)).toEqual([400, 'expired_token']);
    expect((await page(browser, late.user_code)).status).toBe(404);
  });

  test('keep waiting if the person may not use their application, or if no one is signed in', async () => {
    const rp = await register();
    const { browser } = await personOf(app());
    const begun = await begin(rp);

    const replies = [await page(browser, begun.user_code), await decide(browser, begun.user_code, 'approve')];
    const signedOut = await page(app().client(), begun.user_code);

    expect(replies.map(({ status }) => status)).toEqual([403, 403]);
    expect(signedOut.headers.location).toMatch(/^\/authsvc\/login\?redirect=/);
    expect(outcomeOf(await pollDevice(program(), rp, begun.device_code))).toEqual([400, 'authorization_pending']);
  });

  test('of an application without the device flow are refused (RFC 8628 §3.2, RFC 6749 §5.2)', async () => {
    const rp = await registerRelyingParty(app(), {});
    await register();

    const reply = await callAs(program(), rp, 'device_authorization', { scope: 'openid' });

    expect(outcomeOf(reply)).toEqual([400, 'unauthorized_client']);
    expect(Object.keys(reply.body).sort()).toEqual(['error', 'error_description']);
  });
});
