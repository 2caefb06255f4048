import { expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { authenticatorFor, passkeySignIn, seedPasskey } from '../support/authenticator.ts';
import type { Client } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import {
  authorize,
  claimsIn,
  follow,
  pathOf,
  type RelyingParty,
  redeem,
  registerRelyingParty,
  sentTo,
} from '../support/relying-party.ts';
import { codeOf, seedSecondFactorUser, sendCode } from '../support/totp.ts';
import { sharedSocialWorld, throughCodehost, throughWebsso } from './social-support.ts';

eachDatabase('the ID token of a sign-in', (database) => {
  const world = sharedSocialWorld(database, { AUTHSVC_TWO_FA_ENABLE: 'true' });
  const register = async () => {
    const rp = await registerRelyingParty(world().app);
    return { rp, apps: ['authsvc', rp.key] };
  };
  /** Starts a sign-in to the application. Returns the URL to which the browser goes after the sign-in. */
  const begin = async (browser: Client, rp: RelyingParty): Promise<string> => {
    const page = await browser.page(pathOf(await authorize(browser, rp)));
    return sentTo(page, 'redirect');
  };
  /** Returns the claims that the application gets when the browser comes back. */
  const arrive = async (browser: Client, rp: RelyingParty, address: unknown) => {
    const code = sentTo(await follow(browser, await browser.page(String(address))), 'code');
    const { body } = await redeem(world().app.client(), rp, code);
    const { sub, acr, amr } = claimsIn(body.id_token);
    return { sub, acr, amr };
  };

  test('says that the person used a passkey', async () => {
    const { app } = world();
    const { rp, apps } = await register();
    const user = await app.seedUser({ apps });
    const authenticator = authenticatorFor(app);
    await seedPasskey(app, user, authenticator);
    const browser = app.client();
    const redirect = await begin(browser, rp);

    const { body } = await passkeySignIn(browser, authenticator, {}, { redirect });

    const told = await arrive(browser, rp, body.redirect_url);
    expect(told).toEqual({ sub: user.sub, acr: 'aal2', amr: ['swk', 'user', 'mfa'] });
  });

  test('says that the person used a provider with OAuth 2.0', async () => {
    const { app, linkedUser } = world();
    const { rp, apps } = await register();
    const user = await linkedUser('codehost', '4711', { apps });
    const browser = app.client();
    const redirect = await begin(browser, rp);

    const { headers } = await throughCodehost(world(), browser, `?${new URLSearchParams({ redirect })}`);

    const told = await arrive(browser, rp, headers.location);
    expect(told).toEqual({ sub: user.sub, acr: 'aal1', amr: ['fed'] });
  });

  test('says that the person used a provider with OpenID Connect', async () => {
    const { app, linkedUser } = world();
    const { rp, apps } = await register();
    const user = await linkedUser('websso', 'ada-there', { apps });
    const browser = app.client();
    const redirect = await begin(browser, rp);

    const { headers } = await throughWebsso(world(), browser, 'ada-there', `?${new URLSearchParams({ redirect })}`);

    const told = await arrive(browser, rp, headers.location);
    expect(told).toEqual({ sub: user.sub, acr: 'aal1', amr: ['fed'] });
  });

  test('says that the person used a code after the password', async () => {
    const { app } = world();
    const { rp, apps } = await register();
    const user = await seedSecondFactorUser(app, { apps });
    app.clock.advance(MINUTE_MS);
    const browser = app.client();
    const redirect = await begin(browser, rp);
    await browser.post('/authsvc/api/login', { username: user.username, password: user.password, redirect });

    const { body } = await sendCode(browser, codeOf(app, user.secret));

    const told = await arrive(browser, rp, body.redirect_url);
    expect(told).toEqual({ sub: user.sub, acr: 'aal2', amr: ['pwd', 'otp', 'mfa'] });
  });
});
