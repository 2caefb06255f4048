import { expect, test } from 'vitest';
import { eachDatabase } from '../support/each-database.ts';
import { startApp } from '../support/start-app.ts';
import { expectError, sharedApp } from './support.ts';

const FOREIGN = [
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\u0085/evil.example',
  ' /x',
  'javascript:alert(1)',
  'data:text/html,x',
  'evil.example',
  '/..//evil.example',
  '/%0d%0a/../..//evil.example',
];
const OWN = [
  '/',
  '/app',
  '/app?a=1&b=%2F%2Fevil.example',
  '/app#part',
  '/caf%C3%A9',
  '/authsvc/test',
  '/a b?c d#e f',
  '/app?x=\\',
];
const destination = (html: string) => /data-redirect="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');

eachDatabase('short addresses of the login page', (database) => {
  const app = sharedApp({ database });

  test.each(['/login', '/signin'])('%s redirects to the login page with the unchanged query', async (path) => {
    for (const query of ['', '?redirect=%2Fapp&x=1&x=2', '?', '?redirect=//evil.example', '?%E0%A4%A']) {
      const reply = await app()
        .client()
        .page(path + query);
      expect([query, reply.status, reply.headers.location]).toEqual([query, 302, `/authsvc/login${query}`]);
    }
  });

  test('the root path redirects to the session page, which redirects a visitor without a session to the login page', async () => {
    const client = app().client();

    const first = await client.page('/');
    const second = await client.page(String(first.headers.location));

    expect([first.status, first.headers.location]).toEqual([302, '/authsvc/']);
    expect([second.status, second.headers.location]).toEqual([302, '/authsvc/login?redirect=%2Fauthsvc%2F']);
  });

  test('many simultaneous requests from one IP address are answered', async () => {
    const client = app().client();
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => client.page('/login', { address: '198.51.100.1' })),
    );

    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([302]));
  });
});

eachDatabase('the login page', (database) => {
  const app = sharedApp({ database, settings: { APP_NAME: 'Portal', LOGIN_REDIRECT_URL: '/home' } });
  const show = (redirect: string, client = app().client()) =>
    client.page(`/authsvc/login?redirect=${encodeURIComponent(redirect)}`);

  test('has the form, the CSRF token, the name of the application and the default destination', async () => {
    const { status, text } = await app().client().page('/authsvc/login');

    expect(status).toBe(200);
    expect(text).toMatch(/name="_csrf" value="[\w-]{16}\.[\w-]{43}"/);
    expect(text).toContain('Portal');
    expect(destination(text)).toBe('/home');
    expect(text).not.toMatch(/<script(?! type="module" src=)|\son\w+=|style=|javascript:/);
  });

  test.each(OWN)('keeps the destination %s', async (redirect) => {
    expect(destination((await show(redirect)).text)).toBe(redirect);
  });

  test('reads a + in a destination that was not encoded as a space, so that the words of a search stay separate', async () => {
    const { text } = await app().client().page('/authsvc/login?redirect=/search?q=a+b');

    expect(destination(text)).toBe('/search?q=a b');
  });

  test.each(FOREIGN)('drops the unsafe destination %j', async (redirect) => {
    const { status, text } = await show(redirect);

    expect([status, destination(text)]).toEqual([200, '/home']);
    expect(text).not.toContain('evil.example');
  });

  test.each([
    '/login',
    '/signin',
    '/authsvc/login',
    '/authsvc/login?redirect=/x',
    '/authsvc/2fa',
    '/authsvc/./login',
    '/authsvc/x/../login',
    '/%61uthsvc/login#top',
  ])('never returns to itself: %s', async (redirect) => {
    expect(destination((await show(redirect)).text)).toBe('/home');
  });

  test('escapes text from the URL', async () => {
    const { text } = await show('/"><i id=xss>&quot;');

    expect(text).not.toContain('<i id=xss>');
  });

  test.each([
    '?redirect=/a&redirect=/b',
    '?redirect[]=/a',
    '?redirect[x]=1',
    '?redirect=%E0%A4%A',
    '?__proto__=1',
    '?redirect=',
  ])('is shown with the odd query %s', async (query) => {
    const { status, text } = await app().client().page(`/authsvc/login${query}`);

    expect([status, destination(text)]).toEqual([200, '/home']);
  });

  test('shows who is signed in, and a link to the destination', async () => {
    const user = await app().seedUser({ username: 'grace' });
    const client = await app().signIn(user);

    const { text } = await show('/app', client);

    expect(text).toContain('grace');
    expect(text).toContain('href="/app"');
    expect((await show('/app')).text).not.toContain('grace');
  });

  test.each([
    ['password', 'true', 1],
    ['password', 'false', 0],
    ['codehost', 'true', 1],
    ['codehost', 'false', 0],
    ['websso', 'true', 0],
    ['nonsense', 'true', 0],
    ['<i id=xss>', 'true', 0],
  ])('marks %s as used last only if there is another method (codehost: %s)', async (method, codehost, badges) => {
    const settings = {
      PASSKEYS: 'off',
      CODEHOST_LOGIN_ENABLED: codehost,
      CODEHOST_APP_CLIENT_ID: 'id',
      CODEHOST_APP_CLIENT_SECRET: 'secret',
    };
    const stops: (() => Promise<void>)[] = [];
    const ours = await startApp({ onTestFinished: (stop) => void stops.push(stop) }, { database, settings });
    const client = ours.client();
    client.jar.set('last_login_method', method);

    const { text } = await client.page('/authsvc/login', { headers: { 'accept-language': 'en' } });
    for (const stop of stops) await stop();

    expect(text.match(/Last used/g) ?? []).toHaveLength(badges);
    expect(text).not.toContain('<i id=xss>');
  });

  test.each([
    ['de-AT, en;q=0.5', 'de', 'Anmelden'],
    ['en', 'en', 'Sign in'],
    ['xx, *', 'en', 'Sign in'],
    [';;q=,', 'en', 'Sign in'],
  ])('is in the language that the browser prefers: %j', async (language, lang, word) => {
    const { text } = await app()
      .client()
      .page('/authsvc/login', { headers: { 'accept-language': language } });

    expect(text).toContain(`<html lang="${lang}"`);
    expect(text).toContain(word);
  });
});

eachDatabase('the session page', (database) => {
  const app = sharedApp({ database });

  test.each(['/authsvc/test', '/authsvc/', '/authsvc'])('%s shows the user and the session', async (path) => {
    const user = await app().seedUser({ role: 'superadmin', fullName: 'Ada Lovelace' });
    const client = await app().signIn(user);

    const { status, text } = await client.page(path);

    expect(status).toBe(200);
    for (const part of [user.username, 'Ada Lovelace', 'superadmin', `<dd>${user.id}</dd>`])
      expect(text).toContain(part);
    const id = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/.exec(text)?.[0];
    expect((await app().client().post('/authsvc/api/verifySession', { session_id: id })).body.username).toBe(
      user.username,
    );
    for (const link of ['/authsvc/info', '/authsvc/login?add=1']) expect(text).toContain(`href="${link}"`);
  });

  test('with ?add=1 is a page for one more account, only if a person is signed in', async () => {
    const user = await app().seedUser();
    const signedIn = (await (await app().signIn(user)).page('/authsvc/login?add=1')).text;
    const nobody = (await app().client().page('/authsvc/login?add=1')).text;

    expect(signedIn).toContain('<h1 id="heading">Add another account</h1>');
    expect(signedIn).toContain(`Continue as ${user.username}</span></a>`);
    expect(nobody).toContain('<h1 id="heading">Sign in</h1>');
    expect(nobody).not.toContain('Continue as');
  });

  test.each([
    ['/authsvc/test', '/authsvc/test'],
    ['/authsvc/test?a=1&b=//x', '/authsvc/test?a=1&b=//x'],
    ['/authsvc/', '/authsvc/'],
    ['/authsvc/test?x=%00', '/authsvc/test?x=%00'],
    ['/authsvc/test?x=\\', '/authsvc/test?x=\\'],
  ])('%s without a session redirects to the login page and back', async (path, back) => {
    const reply = await app().client().page(path);

    expect(reply.status).toBe(302);
    const location = new URL(String(reply.headers.location), 'http://here.invalid');
    expect([location.host, location.pathname]).toEqual(['here.invalid', '/authsvc/login']);
    expect(location.searchParams.get('redirect')).toBe(back);
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test.each([
    ['that is too long', `/authsvc/test?x=${'y'.repeat(2048)}`],
    ['with a backslash in its path', '/authsvc/cli/device/A\\B'],
  ])(
    'a URL %s redirects to the login page without a return address, so that the default applies',
    async (_what, path) => {
      const reply = await app().client().page(path);

      expect([reply.status, reply.headers.location]).toEqual([302, '/authsvc/login']);
    },
  );

  test('escapes names that contain markup', async () => {
    const user = await app().seedUser({
      username: `x"><script>alert(1)</script>`,
      fullName: '<img src=x onerror=alert(1)>',
      image: 'javascript:alert(1)',
    });
    const client = await app().signIn(user);

    for (const path of ['/authsvc/test', '/authsvc/login']) {
      const { text } = await client.page(path);
      expect(text).not.toMatch(/<script>|<img src=x|src="javascript|href="javascript/);
    }
  });

  test('replies to a POST with 200 or 401 as a quick check', async () => {
    const client = await app().signIn(await app().seedUser());

    const reply = await client.post('/authsvc/test');

    expect([reply.status, reply.body]).toEqual([200, { success: true, message: expect.any(String) }]);
    expectError(await app().client().post('/authsvc/test'), 'NOT_SIGNED_IN');
  });
});

test('the log names a request by the pattern of its route, without data of the visitor', async (t) => {
  const app = await startApp(t, { database: 'sqlite' });
  const user = await app.seedUser({ username: 'log-reader' });
  const client = await app.signIn(user);
  const token = await client.csrf();
  await client.page('/authsvc/test?secret-in-the-query=1');
  await client.get('/secret-in-the-path');
  const cookies = [...client.jar.values()];
  await client.logout();

  const lines = app.log().filter(({ msg }) => msg === 'request');

  expect(lines).toContainEqual(expect.objectContaining({ method: 'GET', route: '/authsvc/test', status: 200 }));
  const text = JSON.stringify(app.log());
  const secrets = [user.password, token, 'secret-in-the', ...cookies.filter((value) => value.length > 20)];
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(JSON.stringify(lines)).not.toContain('log-reader');
  for (const line of app.log()) expect(line).toMatchObject({ level: expect.any(String), time: expect.any(String) });
});
