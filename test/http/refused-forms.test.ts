import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import { sha256 } from '../../src/lib/digest.ts';
import { parseEmail } from '../../src/lib/email-address.ts';
import { randomHex, randomText } from '../../src/lib/random.ts';
import { insertPendingEmail } from '../../src/users/pending-email-queries.ts';
import { offerReset } from '../../src/welcome/offer-link.ts';
import { allRoutes } from '../../tools/docs/all-routes.ts';
import type { Client } from '../support/client.ts';
import { requestToken, seedProfile } from '../support/device-login.ts';
import { eachDatabase } from '../support/each-database.ts';
import { formOf, submit } from '../support/forms.ts';
import { unconfirmed } from '../support/my-account.ts';
import { authorize, callAs, follow, personOf, registerRelyingParty } from '../support/relying-party.ts';
import { PASSWORD, type TestApp } from '../support/start-app.ts';
import { codeOf, seedSecondFactorUser } from '../support/totp.ts';
import { sharedApp } from './support.ts';

const settings = {
  AUTHSVC_TWO_FA_ENABLE: 'true',
  SECOND_FACTOR: 'superadmin',
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'authsvc@example.test',
  RATE_LIMITS: [
    ...['login', 'second-step', 'account-secret', 'account-change', 'switch-session', 'device-decide', 'logout'].map(
      (name) => `${name}=1/60s`,
    ),
    'forgot=1/3600s',
    'form-again=3/60s',
  ].join(','),
};

/** A form on a page, the values that a person enters, and the values that the page keeps. */
interface Entered {
  client: Client;
  page: string;
  /** The URL to which the form posts, if it is not the URL of the page. */
  action?: string;
  values: Record<string, string>;
  /** The values that the page shows again. */
  kept: string[];
  /** The URL to which the browser goes once the form is accepted, or the status of the page that is shown then. */
  leadsTo: string | number;
}

/** Starts a sign-in that must set up a second factor. Returns the browser, and the URL of its form. */
async function beginEnrolment(app: TestApp): Promise<{ client: Client; username: string; begin: string }> {
  const user = await app.seedUser({ role: 'superadmin' });
  const client = app.client();
  await client.post('/authsvc/api/login', { ...user, redirect: '/reports' });
  const { text } = await client.page('/authsvc/2fa');
  const begin = /action="(\/authsvc\/2fa\/enrol\?[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  return { client, username: user.username, begin };
}

const forms: Record<string, (app: TestApp) => Promise<Entered>> = {
  login: async (app) => {
    const { username, password } = await app.seedUser();
    const page = '/authsvc/login?redirect=%2Freports';
    const kept = [`value="${username}"`];
    return { client: app.client(), page, action: '', values: { username, password }, kept, leadsTo: '/reports' };
  },
  'second step': async (app) => {
    const user = await seedSecondFactorUser(app);
    const client = app.client();
    await client.post('/authsvc/api/login', { ...user, redirect: '/reports' });
    const { text } = await client.page('/authsvc/2fa');
    const action = /action="(\/authsvc\/2fa[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const values = { token: codeOf(app, user.secret), trust_device: 'true' };
    return { client, page: '/authsvc/2fa', action, values, kept: [' checked=""'], leadsTo: '/reports' };
  },
  'begin of an enrolment at sign-in': async (app) => {
    const { client, username, begin } = await beginEnrolment(app);
    const leadsTo = begin.replace('/enrol', '');
    return { client, page: '/authsvc/2fa', action: begin, values: {}, kept: [username], leadsTo };
  },
  'code of an enrolment at sign-in': async (app) => {
    const { client, begin } = await beginEnrolment(app);
    const action = begin.replace('/enrol', '');
    await submit(client, formOf((await client.page(action)).text, begin));
    const [, secret = ''] = /<pre id="key"[^>]*>(\w+)</.exec((await client.page(action)).text) ?? [];
    const values = { token: codeOf(app, secret), trust_device: 'true' };
    return { client, page: action, values, kept: [secret, ' checked=""', 'value="/reports"'], leadsTo: 200 };
  },
  forgot: async (app) => {
    const values = { username: 'ada@example.test' };
    return { client: app.client(), page: '/authsvc/forgot', values, kept: ['value="ada@example.test"'], leadsTo: 202 };
  },
  'reset link': async (app) => {
    const user = await app.seedUser();
    const needs = { ...app.services, ...app.change(), baseUrl: app.services.baseUrl() };
    const { link } = await offerReset(needs, { user, hours: 2, removesFactor: false, isSent: false });
    const page = new URL(link ?? '').pathname;
    const values = { new_password: 'another-horse-8' };
    return { client: app.client(), page, action: '', values, kept: [user.username], leadsTo: '/authsvc/' };
  },
  'link to an e-mail address': async (app) => {
    const { id: userId } = await app.seedUser();
    const { address: email, key: emailKey } = parseEmail('ada@example.test') ?? expect.fail();
    const code = randomText(32);
    const link = { codeHash: sha256(code), expiresAt: app.clock.now() + DAY_MS };
    await insertPendingEmail.run(app.services.database, { userId, email, emailKey, ...link });
    const page = `/authsvc/email/${code}`;
    return { client: app.client(), page, action: '', values: {}, kept: [email], leadsTo: '/authsvc/email' };
  },
  logout: async (app) => {
    const page = '/authsvc/logout?redirect=%2Freports';
    const values = { accounts: 'current' };
    const client = await app.signIn(await app.seedUser());
    return { client, page, action: '/authsvc/logout', values, kept: ['value="/reports"'], leadsTo: '/reports' };
  },
  'switch of accounts': async (app) => {
    const [ada, bea] = [await app.seedUser(), await app.seedUser()];
    const client = await app.signIn(ada);
    await client.login(bea);
    const { text } = await client.page('/authsvc/accounts');
    const values = { session_id: /data-switch="([^"]+)"/.exec(text)?.[1] ?? '' };
    const page = '/authsvc/accounts?redirect=%2Freports';
    return { client, page, action: '/authsvc/accounts', values, kept: ['value="/reports"'], leadsTo: '/reports' };
  },
  'device login': async (app) => {
    const { key } = await seedProfile(app);
    const { userCode } = await requestToken(app.client(), key);
    const page = `/authsvc/cli/device/${userCode}`;
    const client = await app.signIn(await app.seedUser());
    return { client, page, values: { action: 'approve' }, kept: [userCode], leadsTo: page };
  },
  profile: async (app) => {
    const client = await app.signIn(await app.seedUser());
    const values = { full_name: 'Ada King', image: 'https://example.test/ada.png' };
    const kept = ['value="Ada King"', 'value="https://example.test/ada.png"'];
    return { client, page: '/authsvc/account', values, kept, leadsTo: '/authsvc/account?done=saved' };
  },
  'change of the password': async (app) => {
    const client = await app.signIn(await app.seedUser());
    await client.post('/api/token', { name: 'ci', scope: 'read-only', _csrf: await client.csrf() });
    const page = '/authsvc/account/password';
    const values = { current_password: PASSWORD, new_password: 'another-horse-8', end_tokens: 'true' };
    return { client, page, values, kept: [' checked=""'], leadsTo: `${page}?done=passwordChanged` };
  },
  token: async (app) => {
    const client = await app.signIn(await app.seedUser());
    const page = '/authsvc/account/tokens';
    const values = { name: 'Nightly', scope: 'write', expiresDays: '12' };
    const kept = ['value="Nightly"', '<option value="write" selected>', 'value="12"'];
    return { client, page, values, kept, leadsTo: expect.stringContaining(`${page}?done=tokenCreated&once=`) };
  },
};

const OUT_OF_DATE = '<p>This page is out of date</p>';
const WAIT = /<p>Too many [\w ]+<\/p><p>You can try again in \d+ (?:second|minute)s?\.<\/p>/;

eachDatabase('a form without scripts that is refused', (database) => {
  const app = sharedApp({ database, settings });
  let addresses = 0;
  const freshAddress = () => {
    addresses += 1;
    return `198.18.1.${addresses}`;
  };

  test.each(Object.keys(forms))('%s: the form comes back with its values, and then still works', async (name) => {
    const { client, page, action = page, values, kept, leadsTo } = (await forms[name]?.(app())) ?? expect.fail();
    const address = freshAddress();
    const form = formOf((await client.page(page)).text, action);
    const sent = { ...form, action: action || page };

    const badToken = await submit(client, sent, { ...values, _csrf: 'x' }, { address });
    const limited = await submit(client, sent, values, { address });

    expect([badToken.status, limited.status]).toEqual([403, 429]);
    expect(badToken.text).toContain(OUT_OF_DATE);
    expect(limited.text).toMatch(WAIT);
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect(limited.headers['ratelimit-remaining']).toBe('0');
    for (const { text } of [badToken, limited]) {
      for (const one of kept) expect(text).toContain(one);
      for (const secret of [values.password, values.current_password, values.new_password, values.token])
        if (secret !== undefined) expect(text).not.toContain(secret);
    }
    const again = await submit(client, { ...formOf(limited.text, action), action: action || page }, values);
    const accepted = typeof leadsTo === 'number' ? [leadsTo, undefined] : [303, leadsTo];
    expect([again.status, again.headers.location]).toEqual(accepted);
  });

  test('consent: the form comes back after it was sent with an invalid CSRF token, and then still works', async () => {
    const rp = await registerRelyingParty(app(), { isThirdParty: true });
    const client = await app().signIn(await app().seedUser({ apps: ['authsvc', rp.key] }));
    const { text } = await follow(client, await authorize(client, rp));
    const action = /action="(\/authsvc\/oidc\/interaction[^"]*)"/.exec(text)?.[1] ?? '';

    const refused = await submit(client, formOf(text, action), { decision: 'approve', _csrf: 'x' });
    const done = await submit(client, formOf(refused.text, action), { decision: 'approve' });

    expect([refused.status, refused.text.includes(OUT_OF_DATE)]).toEqual([403, true]);
    expect(done.status).toBe(303);
  });

  test('approval of a device by OpenID Connect: the form comes back after it was sent with an invalid CSRF token, and then still works', async () => {
    const rp = await registerRelyingParty(app(), { name: 'Television', deviceFlow: true, redirectUris: [] });
    const { browser } = await personOf(app(), rp);
    const { body } = await callAs(app().client(), rp, 'device_authorization', { scope: 'openid profile' });
    const path = '/authsvc/oidc/device';
    const { text } = await browser.page(`${path}?user_code=${body.user_code}`);

    const refused = await submit(browser, formOf(text, path), { decision: 'approve', _csrf: 'x' });
    const done = await submit(browser, formOf(refused.text, path), { decision: 'approve' });

    expect(refused.status).toBe(403);
    for (const part of [OUT_OF_DATE, 'Television', String(body.user_code)]) expect(refused.text).toContain(part);
    expect([done.status, done.text.includes('Television'), done.text.includes('decision')]).toEqual([200, true, false]);
  });

  test('an enrolment without a QR code shows the error outside of the part that needs scripts', async () => {
    const { client, begin } = await beginEnrolment(app());
    const form = formOf((await client.page('/authsvc/2fa')).text, begin);

    const { text } = await submit(client, form, { _csrf: 'x' });

    const [, shown = ''] = /<noscript>(.*?)<\/noscript>/s.exec(/<main.*<\/main>/s.exec(text)?.[0] ?? '') ?? [];
    expect(shown).toContain(OUT_OF_DATE);
  });

  test('a form that waits for a confirmation keeps waiting after a rate limit', async () => {
    const client = await unconfirmed(app(), await app().seedUser());
    const address = freshAddress();
    const { text } = await client.page('/authsvc/account');
    const path = '/authsvc/account/email';
    const asked = await submit(client, formOf(text, path), { email: 'ada@example.test' });
    const proof = { password: 'wrong-horse-1' };
    const wrong = await submit(client, formOf(asked.text, path), proof, { address });
    const limited = await submit(client, formOf(wrong.text, path), { password: PASSWORD }, { address });

    expect([asked.status, wrong.status, limited.status]).toEqual([403, 403, 429]);
    const done = await submit(client, formOf(limited.text, path, { email: 'ada@example.test' }), {
      password: PASSWORD,
    });
    expect([done.status, done.headers.location]).toEqual([303, '/authsvc/account?done=emailOffered']);
  });

  test('a link that has ended is invalid, whatever else is wrong with its form', async () => {
    const address = freshAddress();
    const form = { action: `/authsvc/welcome/${randomHex(20)}`, fields: { new_password: 'another-horse-8' } };

    const replies = [
      await submit(app().client(), form, {}, { address }),
      await submit(app().client(), form, {}, { address }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([404, 429]);
    expect(replies[1]?.text).toContain('>TOO_MANY_REQUESTS<');
  });

  test('a client that keeps sending refused forms gets the error page, which costs less', async () => {
    const address = freshAddress();
    const client = app().client();
    const form = { action: '/authsvc/forgot', fields: { username: 'ada' } };
    const send = () => submit(client, form, {}, { address });

    const replies = [await send(), await send(), await send(), await send(), await send()];

    expect(replies.map(({ status }) => status)).toEqual([202, 429, 429, 429, 429]);
    expect(replies.map(({ text }) => text.includes('>TOO_MANY_REQUESTS<'))).toEqual([false, false, false, false, true]);
  });

  test('a request whose body cannot be read counts against the rate limit too', async () => {
    const address = freshAddress();
    const send = () =>
      app()
        .client()
        .request('POST', '/authsvc/forgot', { raw: '{}', address, headers: { accept: 'text/html' } });

    expect([(await send()).status, (await send()).status]).toEqual([415, 429]);
  });
});

test('every page route that takes a form shows a refusal in its page, except the sign-out by an application', () => {
  const programs = ['/authsvc/oidc/logout'];
  const silent = allRoutes.filter(
    ({ kind, body, showRefusal }) => kind === 'page' && body.kind === 'form' && !showRefusal,
  );

  expect(silent.map(({ path }) => path)).toEqual(programs);
});
