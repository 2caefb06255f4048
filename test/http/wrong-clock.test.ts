import { expect, test } from 'vitest';
import { CONFIRMATION_MS } from '../../src/factors/confirmation.ts';
import { CLOCK_TOLERANCE_MS, DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { parseEmail } from '../../src/lib/email-address.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { eachDatabase } from '../support/each-database.ts';
import { startMailServer } from '../support/mail-server.ts';
import { accountOf, change } from '../support/my-account.ts';
import { authorize, personOf, refresh, registerRelyingParty, sentTo, signInTo } from '../support/relying-party.ts';
import { startApp } from '../support/start-app.ts';
import { sharedApp } from './support.ts';

/** Tests what happens to data that was written while the clock was a day ahead, once the clock is right again. */
eachDatabase('after the clock ran a day ahead and is right again', (database) => {
  const app = sharedApp({ database });
  const whileAhead = async <T>(work: () => Promise<T>): Promise<T> => {
    app().clock.advance(DAY_MS);
    const result = await work();
    app().clock.advance(-DAY_MS);
    return result;
  };

  test('a session from that time is not confirmed', async () => {
    const user = await app().seedUser();
    const client = await whileAhead(() => app().signIn(user));

    expect((await accountOf(client)).confirmed_until).toBeNull();
    expect((await client.page('/authsvc/account')).text).toContain(' data-confirmed="0"');
    expect((await change(client, 'POST', '/recovery-codes')).body.code).toBe('CONFIRMATION_REQUIRED');
    expect((await change(client, 'POST', '/confirm', { password: user.password })).status).toBe(200);
    const until = Date.parse(String((await accountOf(client)).confirmed_until));
    expect(until - app().clock.now()).toBeLessThanOrEqual(CONFIRMATION_MS + CLOCK_TOLERANCE_MS);
  });

  test('the next use of a token is stored', async () => {
    const ada = await app().seedUser();
    const browser = await app().signIn(ada);
    const { body } = await browser.post('/api/token', { name: 'ci' });
    const use = async () => {
      await app().client().post('/api/tokens/verify', { token: body.token });
      await app().services.background.finish();
      const { tokens } = (await browser.get('/authsvc/api/account/tokens')).body;
      const [token] = Array.isArray(tokens) ? tokens : [];
      return Date.parse(String(token?.last_used_at));
    };

    const ahead = await whileAhead(use);
    const now = await use();

    expect(ahead - app().clock.now()).toBeGreaterThan(DAY_MS - HOUR_MS);
    expect(Math.abs(now - app().clock.now())).toBeLessThan(HOUR_MS);
  });

  test('a sign-in from that time does not count as recent for an application', async () => {
    const rp = await registerRelyingParty(app(), {});
    const { browser } = await whileAhead(() => personOf(app(), rp));

    const reply = await authorize(browser, rp, { max_age: '100', prompt: 'none' });

    expect(sentTo(reply, 'error')).toBe('login_required');
  });

  test('a refresh token that was used at that time does not count as recently used: using it again ends the grant', async () => {
    const rp = await registerRelyingParty(app(), {});
    const { browser } = await personOf(app(), rp);
    const { refresh_token: token } = await signInTo(app().client(), browser, rp);
    const next = await whileAhead(() => refresh(app().client(), rp, token));

    const again = await refresh(app().client(), rp, token);

    expect([next.status, again.status, again.body.error]).toEqual([200, 400, 'invalid_grant']);
    expect((await refresh(app().client(), rp, next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('sessions from that time are ended before those that a person opens now', async (t) => {
    const own = await startApp(t, { database, settings: { MAX_SESSIONS_PER_USER: '2' } });
    const user = await own.seedUser();
    own.clock.advance(DAY_MS);
    const older = [await own.signIn(user), await own.signIn(user)];
    own.clock.advance(-DAY_MS);
    const newer = [await own.signIn(user), await own.signIn(user)];

    const areSignedIn = await Promise.all([...older, ...newer].map((client) => client.isSignedIn()));
    expect(areSignedIn).toEqual([false, false, true, true]);
  });

  test('mails from that time do not count against the limit of this hour', async (t) => {
    const server = await startMailServer();
    t.onTestFinished(() => server.close());
    const own = await startApp(t, { database, settings: server.settings });
    const user = await own.seedUser();
    await changeUser(own.change(), user.username, { email: parseEmail('ada@box.test') });
    const forgot = () => own.client().post('/authsvc/api/forgot', { username: user.username });

    own.clock.advance(DAY_MS);
    for (let i = 0; i < 3; i += 1) {
      await forgot();
      await expect.poll(() => server.mails.length, { timeout: 60_000 }).toBe(i + 1);
    }
    own.clock.advance(-DAY_MS);
    await forgot();

    await expect.poll(() => server.mails.length, { timeout: 60_000 }).toBe(4);
  });

  test('a mail that could not be sent at that time is sent without a long delay', async (t) => {
    const server = await startMailServer();
    t.onTestFinished(() => server.close());
    const own = await startApp(t, { database, settings: server.settings });
    const user = await own.seedUser();
    await changeUser(own.change(), user.username, { email: parseEmail('ada@box.test') });
    server.mode = 'refuse';

    own.clock.advance(DAY_MS);
    await own.client().post('/authsvc/api/forgot', { username: user.username });
    await expect.poll(() => own.log().filter(({ kind }) => kind === 'mail'), { timeout: 60_000 }).toHaveLength(1);
    own.clock.advance(-DAY_MS);
    server.mode = 'take';

    await expect.poll(() => server.mails.length, { timeout: 60_000 }).toBe(1);
  });
});
