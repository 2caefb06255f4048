import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { eachDatabase } from '../support/each-database.ts';
import { CLIENT, startOAuthServer } from '../support/oauth-server.ts';
import { startApp } from '../support/start-app.ts';
import { expectErrorPage, sharedSocialWorld, start, stateOf, throughCodehost } from './social-support.ts';
import { dumpDatabase } from './support.ts';

const callback = (provider: string, query: string) => `/authsvc/api/${provider}/login/callback?${query}`;

eachDatabase('the start of a social sign-in', (database) => {
  const world = sharedSocialWorld(database);

  test('sends the browser to the code host with state and PKCE, and writes no row', async () => {
    const { app, codehost } = world();
    const before = await dumpDatabase(app);

    const reply = await app.client().page('/authsvc/api/codehost/login?redirect=%2Fapp');

    const url = new URL(String(reply.headers.location));
    expect(url.origin + url.pathname).toBe(`${codehost.url}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${app.services.baseUrl()}/authsvc/api/codehost/login/callback`,
      scope: 'read:user',
      state: expect.stringMatching(/^[\w-]{32}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(reply.cookies).toHaveLength(1);
    const [cookie] = reply.cookies;
    expect(cookie?.name).toBe(`social_start.${url.searchParams.get('state')?.slice(0, 12)}`);
    expect(cookie?.attributes).toMatchObject({ httponly: true, samesite: 'Lax', path: '/' });
    expect(Number(cookie?.attributes['max-age'])).toBeGreaterThan(590);
    expect(cookie?.value).toMatch(/^v1\.[\w-]+$/);
    expect(await dumpDatabase(app)).toEqual(before);
  });

  test('sends the browser to the issuer with a nonce as well', async () => {
    const { app, websso } = world();

    const url = new URL(await start(app.client(), 'websso'));

    expect(url.origin).toBe(websso.url);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `${app.services.baseUrl()}/authsvc/api/websso/login/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{32}$/),
      nonce: expect.stringMatching(/^[\w-]{32}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  test.each<[site: string, destination: string, status: number, to: string | undefined]>([
    ['same-origin', 'document', 302, 'provider'],
    ['same-site', 'document', 302, 'provider'],
    ['none', 'document', 302, 'provider'],
    ['cross-site', 'document', 302, '/authsvc/login?redirect=%2Fapp'],
    ['cross-site', 'image', 403, undefined],
    ['cross-site', 'iframe', 403, undefined],
    ['same-origin', 'empty', 403, undefined],
  ])('with Sec-Fetch-Site: %s and Sec-Fetch-Dest: %s gets %i', async (site, destination, status, to) => {
    const { app, codehost } = world();
    const headers = { 'sec-fetch-site': site, 'sec-fetch-dest': destination, 'sec-fetch-mode': 'navigate' };

    const reply = await app.client().page('/authsvc/api/codehost/login?redirect=%2Fapp', { headers });

    const { location } = reply.headers;
    expect([reply.status, location?.startsWith(codehost.url) ? 'provider' : location]).toEqual([status, to]);
    expect(reply.cookies).toHaveLength(to === 'provider' ? 1 : 0);
  });

  test.each([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { 'sec-purpose': 'prefetch; anonymous-client-ip' },
    { purpose: 'prefetch' },
  ])('by a prefetch with %o is refused', async (purpose) => {
    const { app } = world();
    const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document', ...purpose };

    const reply = await app.client().page('/authsvc/api/codehost/login', { headers });

    expect([reply.status, reply.headers.location, reply.cookies]).toEqual([403, undefined, []]);
    expect(reply.headers['cache-control']).toContain('no-store');
  });

  test('uses a callback URL that request headers cannot change', async () => {
    const { app } = world();
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };

    const reply = await app.client().page('/authsvc/api/codehost/login', { headers });

    expect(reply.headers.location).not.toContain('evil.example');
  });

  test('works in several tabs, and with other requests in between', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', '31');
    codehost.user = { id: 31 };
    const client = app.client();
    const [one, two] = [
      await start(client, 'codehost', '?redirect=/one'),
      await start(client, 'codehost', '?redirect=/two'),
    ];
    await client.page('/favicon.ico');
    await client.page('/authsvc/login?redirect=/other');

    const first = await client.page(codehost.agree(one));
    const second = await client.page(codehost.agree(two));

    expect([first.headers.location, second.headers.location]).toEqual(['/one', '/two']);
  });

  test('can be repeated: the browser keeps five starts and the newest works', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', '32');
    codehost.user = { id: 32 };
    const client = app.client();
    const addresses: string[] = [];
    for (let at = 0; at < 40; at += 1) {
      addresses.push(await start(client, 'codehost', '?redirect=/x'));
      app.clock.advance(1000);
    }

    const header = [...client.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    expect([...client.jar.keys()]).toEqual(
      addresses.slice(-5).map((address) => `social_start.${stateOf(address).slice(0, 12)}`),
    );
    expect(header.length).toBeLessThan(2500);
    expect((await client.page(codehost.agree(addresses[35] ?? ''))).headers.location).toBe('/x');
    expectErrorPage(await client.page(codehost.agree(addresses[34] ?? '')), 'SOCIAL_START_UNKNOWN');
  });

  test('works in two tabs with long return addresses', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', '33');
    codehost.user = { id: 33 };
    const client = app.client();
    const [one, two] = [`/one?${'a'.repeat(1500)}`, `/two?${'a'.repeat(1500)}`];
    const first = await start(client, 'codehost', `?redirect=${encodeURIComponent(one)}`);
    const second = await start(client, 'codehost', `?redirect=${encodeURIComponent(two)}`);

    const replies = [await client.page(codehost.agree(first)), await client.page(codehost.agree(second))];

    expect(replies.map(({ headers }) => headers.location)).toEqual([one, two]);
  });

  test('with long return addresses clears older starts before the header grows too large', async () => {
    const { app } = world();
    const client = app.client();
    const path = `/${'a'.repeat(2000)}`;

    for (let at = 0; at < 5; at += 1) await start(client, 'codehost', `?redirect=${path}`);

    expect([...client.jar.values()].join('').length).toBeLessThan(4000);
    expect(client.jar.size).toBe(1);
  });
});

describe('the return address of a social sign-in', () => {
  const world = sharedSocialWorld('sqlite');

  const kept = ['/', '/app?a=1&b=%252F', '/app#part', '/caf%C3%A9', '/%2f/evil.example', '/app?x=\\'];
  const encoded = [
    ['/a b/é?c d=ü#e f', '/a%20b/%C3%A9?c%20d=%C3%BC#e%20f'],
    ['/ /evil.example', '/%20/evil.example'],
    ['/app ', '/app'],
  ];
  const dropped = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/\u0085/evil.example',
    '/.//evil.example',
    'evil',
    '',
    `/${'é'.repeat(2000)}`,
  ];
  const signIn = [
    '/authsvc/login',
    '/login?redirect=/x',
    '/authsvc/2fa',
    '/authsvc/api/websso/login',
    '/authsvc/api/codehost/login/callback?code=1',
  ];
  test.each([
    ...kept.map((asked) => [asked, asked]),
    ...encoded,
    ...dropped.map((asked) => [asked, '/home']),
    ...signIn.map((asked) => [asked, '/home']),
  ])('%s becomes %s', async (asked, expected) => {
    const { app, codehost, linkedUser } = world();
    const id = encodeURIComponent(asked).slice(0, 200) || 'empty';
    await linkedUser('codehost', id);
    codehost.user = { id };

    const reply = await throughCodehost(world(), app.client(), `?redirect=${encodeURIComponent(asked)}`);

    expect(reply.headers.location).toBe(expected);
  });

  test('is ignored if it is repeated', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', 'repeated');
    codehost.user = { id: 'repeated' };

    const reply = await throughCodehost(world(), app.client(), '?redirect=/app&redirect=//evil.example');

    expect(reply.headers.location).toBe('/home');
  });
});

describe('the state of a social sign-in', () => {
  const world = sharedSocialWorld('sqlite');

  test('if missing, wrong, partial or repeated, signs no one in and causes no request to the provider', async () => {
    const { app, codehost } = world();
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost'));
    const state = stateOf(path);

    const queries = [
      '',
      'code=a',
      'code=a&state=',
      'code=a&state=x',
      `code=a&state=${state.slice(0, 12)}`,
      `code=a&state=${state}x`,
    ];
    const odd = [`code=a&state=${state}&state=x`, `code=a&state[]=${state}`, `code=a&state=${'x'.repeat(5000)}`];
    for (const query of [...queries, ...odd])
      expectErrorPage(await client.page(callback('codehost', query)), 'SOCIAL_START_UNKNOWN');
    expect(codehost.seen).toEqual([]);
  });

  test('with a repeated or missing code ends the sign-in', async () => {
    const { app, codehost } = world();
    const client = app.client();

    for (const query of ['code=a&code=b', 'code[]=a', 'code=', '']) {
      const state = stateOf(await start(client, 'codehost'));
      expectErrorPage(await client.page(callback('codehost', `state=${state}&${query}`)), 'PROVIDER_CODE_INVALID');
      expect(client.jar.size).toBe(0);
    }
    expect(codehost.seen).toEqual([]);
  });

  test('of another browser, of another provider, or older than ten minutes writes nothing', async () => {
    const { app, codehost } = world();
    const before = await dumpDatabase(app);
    const [attacker, victim] = [app.client(), app.client()];
    await start(victim, 'codehost');

    const stolen = await victim.page(codehost.agree(await start(attacker, 'codehost')));
    const swapped = await victim.page(callback('websso', `code=a&state=${stateOf(await start(victim, 'codehost'))}`));
    const late = codehost.agree(await start(victim, 'codehost'));
    app.clock.advance(10 * MINUTE_MS);

    expectErrorPage(stolen, 'SOCIAL_START_UNKNOWN');
    expectErrorPage(swapped, 'SOCIAL_START_UNKNOWN');
    expectErrorPage(await victim.page(late), 'SOCIAL_START_UNKNOWN');
    expect(codehost.seen).toEqual([]);
    expect(await dumpDatabase(app)).toEqual(before);
  });

  test('in a cookie whose name or content was changed is ignored and does no harm', async () => {
    const { app, codehost } = world();
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost'));
    const [[name = '', value = ''] = []] = [...client.jar];
    client.jar.set(name, `${value.slice(0, -2)}AA`);
    client.jar.set('social_start.another-name', value);
    client.jar.set('social_start.', 'x');
    client.jar.set('social_start.a b', 'x');

    expectErrorPage(await client.page(path), 'SOCIAL_START_UNKNOWN');
    const reply = await client.page('/authsvc/api/codehost/login');
    expect(reply.status).toBe(302);
    expect(reply.cookies.filter(({ isCleared }) => isCleared).map((cookie) => cookie.name)).toEqual([name]);
  });

  test('in a repeated callback shows where the sign-in went, and causes no request to the provider', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', '41');
    codehost.user = { id: 41 };
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost', '?redirect=%2Fapp%3Fa%3D1'));
    const before = client.clone();
    expect((await client.page(path)).headers.location).toBe('/app?a=1');
    codehost.seen.length = 0;

    const again = await client.page(path);
    client.jar.delete('session_id');
    const signedOut = await client.page(path);

    expectErrorPage(again, 'SOCIAL_START_USED');
    expect(again.text).toContain('href="/app?a=1"');
    expectErrorPage(signedOut, 'SOCIAL_START_USED');
    expect(signedOut.text).toContain('href="/authsvc/login?redirect=%2Fapp%3Fa%3D1"');
    expect(codehost.seen).toEqual([]);
    expect(await before.isSignedIn()).toBe(false);
  });

  test('that is unknown results in an error page, for programs too', async () => {
    const reply = await world().app.client().get(callback('codehost', 'state=x'));

    expectErrorPage(reply, 'SOCIAL_START_UNKNOWN');
  });
});

describe('a provider that cannot be used', () => {
  test('is refused with 403 if it is off, at the start and at the callback', async (t) => {
    const app = await startApp(t, { database: 'sqlite' });

    for (const provider of ['codehost', 'websso'] as const) {
      expectErrorPage(await app.client().page(`/authsvc/api/${provider}/login`), 'PROVIDER_OFF');
      expectErrorPage(await app.client().page(callback(provider, 'code=a&state=b')), 'PROVIDER_OFF');
    }
  });

  test('is refused with 500 if it lacks credentials, and the log says so at the start and at each refusal', async (t) => {
    const settings = { CODEHOST_LOGIN_ENABLED: 'true', CODEHOST_APP_CLIENT_ID: 'id', WEBSSO_LOGIN_ENABLED: 'true' };
    const app = await startApp(t, { database: 'sqlite', settings });

    for (const provider of ['codehost', 'websso'] as const) {
      expectErrorPage(await app.client().page(`/authsvc/api/${provider}/login`), 'PROVIDER_MISCONFIGURED');
    }
    const linesOf = (wanted: string) => app.log().filter(({ level }) => level === wanted);
    expect(linesOf('warn').map((line) => line.provider)).toEqual(['codehost', 'websso']);
    expect(linesOf('error')).toMatchObject(
      ['codehost', 'websso'].map((provider) => ({
        provider,
        err: { message: expect.stringMatching(/^its client id or secret is missing: set \w+_ID and \w+_SECRET$/) },
      })),
    );
  });

  test('for any failure at the start gets a page with a link to the sign-in page, which keeps the destination', async (t) => {
    const settings = {
      CODEHOST_LOGIN_ENABLED: 'true',
      WEBSSO_LOGIN_ENABLED: 'true',
      WEBSSO_CLIENT_ID: 'id',
      WEBSSO_CLIENT_SECRET: 'secret',
      WEBSSO_ISSUER: 'http://127.0.0.1:1',
    };
    const app = await startApp(t, { database: 'sqlite', settings });
    const page = (path: string) => app.client().page(path);

    const misconfigured = await page('/authsvc/api/codehost/login?redirect=/app');
    const unreachable = await page('/authsvc/api/websso/login?redirect=/app');
    const elsewhere = await page('/authsvc/api/codehost/login?redirect=//evil.example');
    const atCallback = await page(callback('codehost', 'redirect=/app&redirect=/b'));

    expectErrorPage(unreachable, 'PROVIDER_UNREACHABLE');
    expect(
      [misconfigured, unreachable].map(
        ({ text }) => /href="([^"]*)"[^<]*<span class="button-label">Go to/.exec(text)?.[1],
      ),
    ).toEqual(['/authsvc/login?redirect=%2Fapp', '/authsvc/login?redirect=%2Fapp']);
    expect(
      [elsewhere, atCallback].map(({ text }) => /href="([^"]*)"[^<]*<span class="button-label">Go to/.exec(text)?.[1]),
    ).toEqual(['/authsvc/login', '/authsvc/login']);
  });

  test('start and callback of a provider share ten requests in five minutes, and each provider has its own limit', async (t) => {
    const { settings } = await startOAuthServer(t);
    const app = await startApp(t, { database: 'sqlite', settings });
    const [client, address] = [app.client(), '10.1.2.3'];
    const paths = ['/authsvc/api/codehost/login', callback('codehost', 'state=x')];

    const statuses: number[] = [];
    for (let at = 0; at < 10; at += 1) statuses.push((await client.page(paths[at % 2] ?? '', { address })).status);
    const refused = await client.page('/authsvc/api/codehost/login', { address });
    statuses.push((await client.page('/authsvc/api/websso/login', { address })).status);

    expect(statuses).not.toContain(429);
    expectErrorPage(refused, 'TOO_MANY_REQUESTS');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(60);
  });

  test('when deployed the cookie of a start is only for this host and for https', async (t) => {
    const deployed = {
      CODEHOST_LOGIN_ENABLED: 'true',
      CODEHOST_APP_CLIENT_ID: 'id',
      CODEHOST_APP_CLIENT_SECRET: 'secret',
      IS_DEPLOYED: 'true',
      BASE_URL: 'https://auth.example.test',
      DOMAIN: 'example.test',
    };
    const app = await startApp(t, { database: 'sqlite', settings: deployed });

    const reply = await app.client().page('/authsvc/api/codehost/login', { headers: { 'x-forwarded-proto': 'https' } });

    const [cookie] = reply.cookies;
    expect(cookie?.name).toMatch(/^__Host-social_start\.[\w-]{12}$/);
    expect(cookie?.attributes).toMatchObject({ secure: true, path: '/', samesite: 'Lax' });
    expect(cookie?.attributes).not.toHaveProperty('domain');
    const { searchParams } = new URL(String(reply.headers.location));
    expect(searchParams.get('redirect_uri')).toBe('https://auth.example.test/authsvc/api/codehost/login/callback');
  });
});

test('a URL of the code host keeps its final slash and its own query', async (t) => {
  const { settings } = await startOAuthServer(t);
  const CODEHOST_AUTHORIZATION_URL = `${settings.CODEHOST_AUTHORIZATION_URL}/?tenant=ours&scope=theirs`;
  const app = await startApp(t, { database: 'sqlite', settings: { ...settings, CODEHOST_AUTHORIZATION_URL } });

  const url = new URL(await start(app.client(), 'codehost'));

  expect(url.pathname).toBe('/authorize/');
  expect([url.searchParams.getAll('tenant'), url.searchParams.getAll('scope')]).toEqual([['ours'], ['read:user']]);
});
