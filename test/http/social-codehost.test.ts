import { describe, expect, test } from 'vitest';
import type { ErrorName } from '../../src/errors/registry.ts';
import { changeUser } from '../../src/users/change-user.ts';
import { eachDatabase } from '../support/each-database.ts';
import type { ScriptedAnswer } from '../support/oauth-server.ts';
import { expectErrorPage, sharedSocialWorld, start, throughCodehost } from './social-support.ts';
import { dumpDatabase } from './support.ts';

eachDatabase('sign-in through the code host', (database) => {
  const world = sharedSocialWorld(database);

  test('the owner of a linked account is signed in and redirected', async () => {
    const { app, linkedUser } = world();
    const ada = await linkedUser('codehost', '4711');
    const client = app.client();

    const reply = await throughCodehost(world(), client);

    expect(reply.status).toBe(302);
    expect(reply.headers.location).toBe('/home');
    expect(reply.cookies.find(({ name }) => name === 'last_login_method')?.value).toBe('codehost');
    expect(await client.isSignedIn()).toBe(true);
    const { body } = await client.get('/authsvc/api/account-sessions');
    expect(body.accounts).toMatchObject([{ username: ada.username, is_current: true }]);
    expect((await app.user(ada.username))?.lastLoginAt).not.toBeNull();
    const audited = app.log().find((line) => line.audit === 'user.signed_in' && line.subject_id === ada.id);
    expect(audited).toMatchObject({ details: { method: 'codehost' } });
  });

  test('an id as a number and as text means the same account', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', '815');

    const locations: unknown[] = [];
    for (const id of [815, '815']) {
      codehost.user = { id };
      locations.push((await throughCodehost(world(), app.client())).headers.location);
    }

    expect(locations).toEqual(['/home', '/home']);
  });

  test('the data of the code host are neither stored nor logged', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', '816');
    codehost.user = { id: 816, login: 'name-at-the-code-host', email: 'mail@example.test' };

    const reply = await throughCodehost(world(), app.client());

    expect(reply.status).toBe(302);
    const [exchange, question] = codehost.seen;
    const everything = JSON.stringify([app.log(), await dumpDatabase(app), reply.headers]);
    const token = String(question?.headers.authorization).replace('Bearer ', '');
    for (const secret of [
      token,
      exchange?.form.code ?? '',
      exchange?.form.code_verifier ?? '',
      'name-at-the-code-host',
    ]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(everything).not.toContain(secret);
    }
  });

  test('for an account that is not linked, the page shows its id and advice, and the database stores only that the start was used', async () => {
    const { app, codehost } = world();
    codehost.user = { id: '<i id=xss>99</i>' };
    const { spent_starts: spentBefore = [], ...before } = await dumpDatabase(app);

    const reply = await throughCodehost(world(), app.client(), '?redirect=%2Fapp%3Fa%3D1');

    expectErrorPage(reply, 'PROVIDER_ACCOUNT_NOT_LINKED');
    expect(reply.text).toContain('&lt;i id=xss&gt;99&lt;/i&gt;');
    expect(reply.text).not.toContain('<i id=xss>');
    expect(reply.text).toContain('href="/authsvc/login?redirect=%2Fapp%3Fa%3D1"');
    const { spent_starts: spent, ...after } = await dumpDatabase(app);
    expect(after).toEqual(before);
    expect(spent).toHaveLength(spentBefore.length + 1);
    const line = app.log().findLast(({ audit }) => audit === 'sign_in.refused');
    const details = { reason: 'PROVIDER_ACCOUNT_NOT_LINKED', method: 'codehost', provider_account: '<i id=xss>99</i>' };
    expect(line).toMatchObject({ details });
  });

  test('an inactive user and one without access to the application are refused, a superadmin is not', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', '21', { isInactive: true });
    await linkedUser('codehost', '22', { apps: ['another'] });
    await linkedUser('codehost', '23', { apps: ['another'], role: 'superadmin' });

    const [inactive, stranger, root] = [app.client(), app.client(), app.client()];
    codehost.user = { id: 21 };
    expectErrorPage(await throughCodehost(world(), inactive), 'ACCOUNT_INACTIVE');
    codehost.user = { id: 22 };
    expectErrorPage(await throughCodehost(world(), stranger), 'APP_NOT_ALLOWED');
    codehost.user = { id: 23 };
    expect((await throughCodehost(world(), root)).headers.location).toBe('/home');
    expect(await Promise.all([inactive, stranger, root].map((client) => client.isSignedIn()))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('a user who is deactivated during the visit to the code host is not signed in', async () => {
    const { app, codehost, linkedUser } = world();
    const user = await linkedUser('codehost', '24');
    const client = app.client();
    const address = await start(client, 'codehost');
    codehost.user = { id: 24 };
    await changeUser(app.change(), user.username, { isActive: false });

    const reply = await client.page(codehost.agree(address));

    expectErrorPage(reply, 'ACCOUNT_INACTIVE');
  });

  test('a code works once, and only with the verifier, redirect URI and secret of its start', async () => {
    const { app, codehost, linkedUser } = world();
    await linkedUser('codehost', '25');
    codehost.user = { id: 25 };
    const [first, second] = [app.client(), app.client()];
    const path = codehost.agree(await start(first, 'codehost'));
    const other = await start(second, 'codehost');
    const code = new URL(path, 'http://any').searchParams.get('code');
    const state = new URL(other).searchParams.get('state');

    const stolen = await second.page(`/authsvc/api/codehost/login/callback?code=${code}&state=${state}`);

    expectErrorPage(stolen, 'PROVIDER_CODE_INVALID');
    expect(codehost.seen.at(-1)?.form).toMatchObject({ grant_type: 'authorization_code', code });
    expectErrorPage(await first.page(path), 'PROVIDER_CODE_INVALID');
  });
});

describe('a code host with faulty replies', () => {
  const world = sharedSocialWorld('sqlite');

  const tokenAnswers: [string, ScriptedAnswer, ErrorName][] = [
    [
      '200 with an error',
      { body: { error: 'bad_verification_code', error_description: 'UPSTREAM-DETAIL' } },
      'PROVIDER_CODE_INVALID',
    ],
    ['400 invalid_grant', { status: 400, body: { error: 'invalid_grant' } }, 'PROVIDER_CODE_INVALID'],
    ['401 invalid_client', { status: 401, body: { error: 'invalid_client' } }, 'PROVIDER_MISCONFIGURED'],
    ['an unknown error', { body: { error: 'constructor' } }, 'PROVIDER_ANSWER_INVALID'],
    ['500', { status: 500, body: { error: 'UPSTREAM-DETAIL' } }, 'PROVIDER_UNREACHABLE'],
    ['429', { status: 429 }, 'PROVIDER_UNREACHABLE'],
    ['HTML', { body: '<html>UPSTREAM-DETAIL</html>' }, 'PROVIDER_ANSWER_INVALID'],
    ['nothing', { body: '' }, 'PROVIDER_ANSWER_INVALID'],
    ['a list', { body: [] }, 'PROVIDER_ANSWER_INVALID'],
    ['form encoding', { body: 'access_token=x&token_type=bearer' }, 'PROVIDER_ANSWER_INVALID'],
    ['no token', { body: { token_type: 'bearer' } }, 'PROVIDER_ANSWER_INVALID'],
    ['a token that injects a header', { body: { access_token: 'a\r\nx-evil: 1' } }, 'PROVIDER_ANSWER_INVALID'],
    ['a token of another type', { body: { access_token: 'abc', token_type: 'mac' } }, 'PROVIDER_ANSWER_INVALID'],
    ['more than 256 KiB', { body: { access_token: 'abc', filler: 'x'.repeat(300_000) } }, 'PROVIDER_ANSWER_INVALID'],
    ['404', { status: 404, body: { message: 'UPSTREAM-DETAIL' } }, 'PROVIDER_MISCONFIGURED'],
  ];
  test.each(tokenAnswers)('is refused if the token endpoint replies with %s', async (_what, answer, name) => {
    const { app, codehost } = world();
    codehost.token = answer;

    const reply = await throughCodehost(world(), app.client());

    expectErrorPage(reply, name);
    expect(codehost.seen).toHaveLength(1);
  });

  const userAnswers: [string, ScriptedAnswer, ErrorName][] = [
    ['401', { status: 401, body: { message: 'UPSTREAM-DETAIL' } }, 'PROVIDER_MISCONFIGURED'],
    ['403', { status: 403 }, 'PROVIDER_MISCONFIGURED'],
    ['500', { status: 500, body: 'UPSTREAM-DETAIL' }, 'PROVIDER_UNREACHABLE'],
    ['no id', { body: { login: 'octo' } }, 'PROVIDER_MISCONFIGURED'],
    ['an id of null', { body: { id: null } }, 'PROVIDER_MISCONFIGURED'],
    ['an empty id', { body: { id: '' } }, 'PROVIDER_MISCONFIGURED'],
    ['an object for id', { body: { id: { $ne: 1 } } }, 'PROVIDER_MISCONFIGURED'],
    [
      'a number that JSON rounds',
      { body: '{"id":9007199254740993}', type: 'application/json' },
      'PROVIDER_MISCONFIGURED',
    ],
  ];
  test.each(userAnswers)('is refused if the user endpoint replies with %s', async (_what, answer, name) => {
    const { app, codehost } = world();
    codehost.userEndpoint = answer;

    expectErrorPage(await throughCodehost(world(), app.client()), name);
  });

  test.each(['token', 'userEndpoint'] as const)('a redirect of %s is not followed', async (endpoint) => {
    const { app, codehost } = world();
    codehost[endpoint] = { status: 307, location: `${codehost.url}/elsewhere` };

    expectErrorPage(await throughCodehost(world(), app.client()), 'PROVIDER_MISCONFIGURED');
    expect(codehost.seen.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  test('that never replies is given up after five seconds, and password sign-in works meanwhile', async () => {
    const { app, codehost } = world();
    const ada = await app.seedUser();
    codehost.token = 'hang';
    const from = performance.now();
    let isOver = false;

    const waiting = throughCodehost(world(), app.client()).finally(() => {
      isOver = true;
    });
    const byPassword = await app.client().login(ada);

    expect(byPassword.status).toBe(200);
    expect(isOver).toBe(false);
    expectErrorPage(await waiting, 'PROVIDER_UNREACHABLE');
    expect(performance.now() - from).toBeGreaterThan(4900);
    expect(performance.now() - from).toBeLessThan(25_000);
  });

  const providerErrors: [string, ErrorName][] = [
    ['access_denied', 'PROVIDER_CANCELLED'],
    ['login_required', 'PROVIDER_CANCELLED'],
    ['consent_required', 'PROVIDER_CANCELLED'],
    ['interaction_required', 'PROVIDER_CANCELLED'],
    ['account_selection_required', 'PROVIDER_CANCELLED'],
    ['server_error', 'PROVIDER_UNREACHABLE'],
    ['temporarily_unavailable', 'PROVIDER_UNREACHABLE'],
    ['redirect_uri_mismatch', 'PROVIDER_MISCONFIGURED'],
    ['unsupported_response_type', 'PROVIDER_MISCONFIGURED'],
    ['<script>alert(1)</script>', 'PROVIDER_PROOF_INVALID'],
    ['toString', 'PROVIDER_PROOF_INVALID'],
    ['', 'PROVIDER_PROOF_INVALID'],
  ];
  test.each(providerErrors)(
    'that sends the browser back with the error %s is reported as that error',
    async (error, name) => {
      const { app } = world();
      const client = app.client();
      const state = new URL(await start(client, 'codehost')).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ error, error_description: '"><img src=x>UPSTREAM-DETAIL', state });

      const reply = await client.page(`/authsvc/api/codehost/login/callback?${query}`);

      expectErrorPage(reply, name);
      expect(reply.text).not.toMatch(/<script>alert|<img src=x/);
      expect(reply.text).toContain('href="/authsvc/login"');
      expect(client.jar.size).toBe(0);
    },
  );

  test.each(['error=', 'error=access_denied&error=access_denied', 'error=made+up', 'error=login_required'])(
    'a callback with both %s and a code is refused, and no error is logged',
    async (more) => {
      const { app, codehost } = world();
      const client = app.client();
      const path = codehost.agree(await start(client, 'codehost'));
      const before = app.log().length;

      const reply = await client.page(`${path}&${more}`);

      expect(reply.status).toBe(403);
      const lines = app.log().slice(before);
      expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
      expect(lines.find(({ level }) => level === 'warn')?.msg).toBe('sign-in through codehost failed');
      expect(codehost.seen).toEqual([]);
    },
  );

  test('that names another issuer in its reply is refused', async () => {
    const { app, codehost } = world();
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost'));

    expectErrorPage(await client.page(`${path}&iss=https%3A%2F%2Fevil.example`), 'PROVIDER_PROOF_INVALID');
    expect(codehost.seen).toEqual([]);
  });
});
