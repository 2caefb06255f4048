import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, test, vi } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts';
import { eachDatabase } from '../support/each-database.ts';
import { authorize, claimsIn, personOf, registerRelyingParty, sentTo, signInTo } from '../support/relying-party.ts';
import { type Owner, serve } from '../support/serve.ts';
import { startApp, type TestApp } from '../support/start-app.ts';

/** Long enough for a busy machine. Every wait ends as soon as its condition is true. */
const patience = { timeout: 60_000, interval: 20 };

/** Starts a receiver of back-channel logouts, and keeps the logout tokens that it gets. */
async function receiver(t: Owner, answer: (reply: ServerResponse, count: number) => void) {
  const tokens: string[] = [];
  const listener: RequestListener = async (request: IncomingMessage, reply) => {
    tokens.push(new URLSearchParams(await text(request)).get('logout_token') ?? '');
    answer(reply, tokens.length);
  };
  return { url: `${await serve(t, listener)}/logout`, tokens };
}
const withStatus = (status: number) => (reply: ServerResponse) => void reply.writeHead(status).end();

/** Registers an application with this address for back-channel logouts, and signs a browser in to it. */
async function signedIn(app: TestApp, backchannelLogoutUri: string) {
  const rp = await registerRelyingParty(app, { backchannelLogoutUri });
  const { user, browser } = await personOf(app, rp);
  const tokens = await signInTo(app.client(), browser, rp);
  return { rp, user, browser, tokens };
}

const waiting = ({ services }: TestApp) =>
  services.database.kysely
    .selectFrom('outbox')
    .select(['attempts', 'next_attempt_at', 'claimed_until'])
    .where('kind', '=', 'logout')
    .execute();
const settled = (app: TestApp) => vi.waitFor(async () => expect(await waiting(app)).toEqual([]), patience);

/** Returns in how many seconds a failed logout is sent again. */
async function nextDelay(app: TestApp, attempts: number): Promise<number> {
  const row = await vi.waitFor(async () => {
    const [row] = await waiting(app);
    if (row?.attempts !== attempts) throw new Error(`it is at attempt ${row?.attempts}`);
    return row;
  }, patience);
  return (row.next_attempt_at - app.clock.now()) / SECOND_MS;
}

eachDatabase('back-channel logout', (database) => {
  test('is retried after 2, 10 and 30 seconds, then every 2 to 5 minutes, for an hour', {
    timeout: 120_000,
  }, async (t) => {
    const app = await startApp(t, { database });
    const { url, tokens } = await receiver(t, withStatus(500));
    const { browser } = await signedIn(app, url);
    const startedAt = app.clock.now();
    const delays: number[] = [];

    await browser.logout();
    for (let attempts = 1; app.clock.now() - startedAt < HOUR_MS; attempts += 1) {
      const delay = await nextDelay(app, attempts);
      delays.push(delay);
      app.clock.advance(delay * SECOND_MS);
    }
    const [sent, end] = [tokens.length, app.clock.now()];
    app.clock.advance(10 * MINUTE_MS);
    const { browser: other } = await signedIn(app, url);
    await other.logout();
    await vi.waitFor(() => expect(tokens.length).toBe(sent + 1), patience);

    const [first = 0, second = 0, third = 0, ...rest] = delays;
    // The test measures the delays a moment after they began, so it rounds them up.
    expect([first, second, third].map((delay) => Math.ceil(delay / 5) * 5)).toEqual([5, 10, 30]);
    expect(first).toBeLessThanOrEqual(2);
    for (const delay of rest) expect([delay > 110, delay <= 300]).toEqual([true, true]);
    expect(end - startedAt).toBeLessThan(HOUR_MS + 6 * MINUTE_MS);
    expect(rest.length).toBeGreaterThanOrEqual(11);
    const jtis = tokens.map((token) => claimsIn(token).jti);
    expect(new Set(jtis).size).toBe(tokens.length);
  });

  test.for([
    [200, true],
    [204, true],
    [202, false],
    [302, false],
    [400, false],
  ] as const)(
    'counts a reply with status %i as a success: %s, and follows no redirect',
    async ([status, isSuccess], t) => {
      const app = await startApp(t, { database });
      const elsewhere = await receiver(t, withStatus(200));
      const { url, tokens } = await receiver(t, (reply) => {
        reply.writeHead(status, status === 302 ? { location: elsewhere.url } : {}).end();
      });
      const { browser } = await signedIn(app, url);

      await browser.logout();
      if (isSuccess) await settled(app);
      else await nextDelay(app, 1);

      expect([tokens.length, elsewhere.tokens.length]).toEqual([1, 0]);
    },
  );

  test('to an application that does not answer delays neither the sign-out nor other applications', async (t) => {
    const app = await startApp(t, { database });
    const [stuck, quick] = [await receiver(t, () => undefined), await receiver(t, withStatus(204))];
    const slow = await registerRelyingParty(app, { backchannelLogoutUri: stuck.url });
    const fast = await registerRelyingParty(app, { backchannelLogoutUri: quick.url });
    const browsers = [];
    for (let at = 0; at < 8; at += 1) {
      const { browser } = await personOf(app, slow, fast);
      await signInTo(app.client(), browser, slow);
      await signInTo(app.client(), browser, fast);
      browsers.push(browser);
    }

    for (const browser of browsers) expect((await browser.logout()).status).toBe(200);
    await vi.waitFor(() => expect(quick.tokens.length).toBe(8), patience);

    expect(stuck.tokens.length).toBeLessThanOrEqual(4);
    await vi.waitFor(async () => expect((await waiting(app)).length).toBe(8), patience);
  });

  test('names in a signed token the user and the session that has ended', async (t) => {
    const app = await startApp(t, { database });
    const { url, tokens } = await receiver(t, withStatus(200));
    const { rp, user, browser, tokens: own } = await signedIn(app, url);

    await browser.logout();
    await settled(app);

    const keys = createRemoteJWKSet(new URL(`${app.url}/authsvc/oidc/jwks`));
    const checks = { issuer: app.services.baseUrl(), audience: rp.key, typ: 'logout+jwt' };
    const { payload } = await jwtVerify(tokens[0] ?? '', keys, checks);
    expect(payload).toEqual({
      iss: checks.issuer,
      aud: rp.key,
      sub: user.sub,
      sid: claimsIn(own.id_token).sid,
      iat: expect.any(Number),
      exp: Number(payload.iat) + 120,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
  });

  test('is sent once for each session and application, but not for a code that was never redeemed', async (t) => {
    const app = await startApp(t, { database });
    const { url, tokens } = await receiver(t, withStatus(200));
    const { rp, browser, tokens: own } = await signedIn(app, url);
    const again = await signInTo(app.client(), browser, rp);
    const { browser: other } = await signedIn(app, url);
    const unused = await personOf(app, rp);
    expect(sentTo(await authorize(unused.browser, rp), 'code')).not.toBe('');

    await browser.logout();
    await unused.browser.logout();
    await settled(app);

    expect(tokens.map((token) => claimsIn(token).sid)).toEqual([claimsIn(own.id_token).sid]);
    expect(claimsIn(again.id_token).sid).toBe(claimsIn(own.id_token).sid);
    expect(await other.isSignedIn()).toBe(true);
  });
});
