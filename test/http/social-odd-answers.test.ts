import { beforeAll, describe, expect, test } from 'vitest';
import type { ErrorName } from '../../src/errors/registry.ts';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import type { Client } from '../support/client.ts';
import { CLIENT, type ScriptedAnswer } from '../support/oauth-server.ts';
import type { Tampering } from '../support/openid-provider.ts';
import { serve } from '../support/serve.ts';
import { startApp } from '../support/start-app.ts';
import {
  expectErrorPage,
  type SocialWorld,
  sharedSocialWorld,
  start,
  stateOf,
  throughCodehost,
  throughWebsso,
} from './social-support.ts';

const SUBJECT = 'sub-odd';

/** Changes the provider's replies from now on. Moves the clock forward, so that the discovery document is fetched again. */
function tamperWith({ app, websso }: SocialWorld, tampering: Tampering): void {
  websso.tampering = tampering;
  app.clock.advance(61 * MINUTE_MS);
}

const listing = (...algorithms: string[]) => {
  return (document: Record<string, unknown>) => ({ ...document, id_token_signing_alg_values_supported: algorithms });
};

/** Returns the log entry of the last refusal. */
function lastReason({ app }: SocialWorld): { line: Record<string, unknown> | undefined; words: string } {
  const line = app.log().findLast(({ level, code }) => code && (level === 'error' || level === 'warn'));
  return { line, words: String(Object(line?.err).message) };
}

describe('replies with optional fields that are null or wrong', () => {
  const world = sharedSocialWorld('sqlite');
  beforeAll(async () => {
    await world().linkedUser('websso', SUBJECT);
    await world().linkedUser('codehost', '4711');
  });

  const unused = ['refresh_token', 'expires_in', 'scope', 'token_type', 'access_token', 'session_state', 'error'];
  const values = [null, '', -1, 'soon', [], {}];

  const all = unused.flatMap((field) => values.map((value) => [field, value] as const));
  // A text in the field `error` really is an error, so it is left out.
  test.each(all.filter(([field, value]) => field !== 'error' || value !== 'soon'))(
    'an OpenID Provider whose token reply has %s = %j signs in',
    async (field, value) => {
      tamperWith(world(), { answer: (fields) => ({ ...fields, [field]: value }) });

      const reply = await throughWebsso(world(), world().app.client(), SUBJECT);

      expect(reply.headers.location).toBe('/home');
    },
  );

  test.each(
    ['auth_time', 'acr', 'amr', 'at_hash', 'c_hash', 's_hash', 'sid', 'email', 'name'].flatMap((claim) =>
      values.map((value) => [claim, value] as const),
    ),
  )('an ID token with the claim %s = %j signs in', async (claim, value) => {
    world().websso.tampering = { claims: (claims) => ({ ...claims, [claim]: value }) };

    expect((await throughWebsso(world(), world().app.client(), SUBJECT)).headers.location).toBe('/home');
  });

  test.each(['azp', 'nbf'])('an ID token whose claim %s is null is accepted', async (claim) => {
    world().websso.tampering = { claims: (claims) => ({ ...claims, [claim]: null }) };

    expect((await throughWebsso(world(), world().app.client(), SUBJECT)).headers.location).toBe('/home');
  });

  test.each(['iss', 'sub', 'aud', 'exp', 'iat', 'nonce'])(
    'an ID token whose claim %s is null is refused',
    async (claim) => {
      world().websso.tampering = { claims: (claims) => ({ ...claims, [claim]: null }) };

      expectErrorPage(await throughWebsso(world(), world().app.client(), SUBJECT), 'PROVIDER_PROOF_INVALID');
    },
  );

  test('a discovery document and keys with null in optional fields are accepted', async () => {
    const fields = [
      'userinfo_endpoint',
      'token_endpoint_auth_methods_supported',
      'id_token_signing_alg_values_supported',
    ];
    tamperWith(world(), {
      metadata: (document) => ({ ...document, ...Object.fromEntries(fields.map((field) => [field, null])) }),
    });

    expect((await throughWebsso(world(), world().app.client(), SUBJECT)).headers.location).toBe('/home');
  });

  test.each(['token_type', 'scope', 'refresh_token', 'expires_in', 'error', 'error_description'])(
    'a code host whose token reply has %s = null signs in',
    async (field) => {
      const { codehost, app } = world();
      codehost.user = { id: 4711, login: null };
      const client = app.client();
      const path = codehost.agree(await start(client, 'codehost'));
      // The usual reply, with one additional field.
      codehost.token = { body: { access_token: 'any-token', token_type: 'bearer', [field]: null } };
      codehost.userEndpoint = { body: codehost.user };

      expect((await client.page(path)).headers.location).toBe('/home');
    },
  );
});

describe('the algorithm of an ID token', () => {
  const world = sharedSocialWorld('sqlite');
  beforeAll(async () => {
    await world().linkedUser('websso', SUBJECT);
  });
  const signIn = (client: Client) => throughWebsso(world(), client, SUBJECT);

  test.each(['HS256', 'HS384', 'HS512'])('%s is accepted if the metadata lists it', async (alg) => {
    tamperWith(world(), { metadata: listing('RS256', alg), header: { alg, kid: undefined }, secret: CLIENT.secret });

    expect((await signIn(world().app.client())).headers.location).toBe('/home');
  });

  test.each([
    ['HS512', ['RS256']],
    ['HS256', ['RS256', 'HS512']],
    ['RS512', ['RS256', 'ES256']],
    ['none', ['RS256']],
    ['none', ['none', 'RS256']],
    ['XS256', ['XS256']],
  ])('%s is a fault of the settings if the metadata lists %j, and the log names both', async (alg, listed) => {
    tamperWith(world(), { metadata: listing(...listed), header: { alg }, secret: CLIENT.secret });

    expectErrorPage(await signIn(world().app.client()), 'PROVIDER_MISCONFIGURED');
    const { line, words } = lastReason(world());
    expect(line).toMatchObject({ level: 'error', provider: 'websso', code: 'PROVIDER_MISCONFIGURED' });
    expect(words).toContain(`signed with ${alg}, but the provider's metadata lists ${listed.join(', ')}`);
  });

  test('is RS256 if the metadata contain no list', async () => {
    tamperWith(world(), {
      metadata: ({ id_token_signing_alg_values_supported: _, ...document }) => document,
      header: { alg: 'HS256' },
      secret: CLIENT.secret,
    });

    expectErrorPage(await signIn(world().app.client()), 'PROVIDER_MISCONFIGURED');
    expect(lastReason(world()).words).toContain("signed with HS256, but the provider's metadata lists RS256");
  });

  test.each([
    ['another secret', 'another-secret'],
    ['an empty secret', ''],
  ])('an HMAC by %s is refused', async (_what, secret) => {
    tamperWith(world(), { metadata: listing('HS256'), header: { alg: 'HS256' }, secret });
    const client = world().app.client();

    expectErrorPage(await signIn(client), 'PROVIDER_PROOF_INVALID');
    expect(await client.isSignedIn()).toBe(false);
  });

  test('an HMAC by the public key is refused, although the metadata lists it', async () => {
    const { app, websso } = world();
    const { keys } = Object(await (await fetch(`${websso.url}/jwks`)).json());
    const client = app.client();
    for (const secret of [JSON.stringify({ keys }), JSON.stringify(keys[0])]) {
      tamperWith(world(), { metadata: listing('RS256', 'HS256'), header: { alg: 'HS256' }, secret });
      expectErrorPage(await signIn(client), 'PROVIDER_PROOF_INVALID');
    }
  });

  test('an encrypted ID token is a fault of the settings', async () => {
    tamperWith(world(), { token: () => 'eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d' });

    expectErrorPage(await signIn(world().app.client()), 'PROVIDER_MISCONFIGURED');
    expect(lastReason(world()).words).toContain('encrypted');
  });

  test('a missing ID token is a fault of the settings, and the log names the fields that came', async () => {
    tamperWith(world(), { token: () => undefined });

    expectErrorPage(await signIn(world().app.client()), 'PROVIDER_MISCONFIGURED');
    expect(lastReason(world()).words).toMatch(/sent no id_token; it sent the fields access_token, /);
  });
});

describe('what the log says about a refusal', () => {
  const world = sharedSocialWorld('sqlite');
  beforeAll(async () => {
    await world().linkedUser('websso', SUBJECT);
  });
  const DESCRIPTION = 'The client\u001b[31m is not \u202eknown\r\n"here"';

  const refused: [string, ErrorName, number, string][] = [
    ['invalid_client', 'PROVIDER_MISCONFIGURED', 401, 'a wrong secret'],
    ['invalid_client', 'PROVIDER_MISCONFIGURED', 400, 'a wrong secret'],
    ['access_denied', 'PROVIDER_MISCONFIGURED', 401, 'a wrong secret under another name'],
    ['unauthorized_client', 'PROVIDER_MISCONFIGURED', 400, 'a client that may not'],
    ['invalid_scope', 'PROVIDER_MISCONFIGURED', 400, 'a scope that there is not'],
    ['redirect_uri_mismatch', 'PROVIDER_MISCONFIGURED', 200, 'another callback address'],
    ['unsupported_grant_type', 'PROVIDER_MISCONFIGURED', 400, 'a client without the code flow'],
    ['invalid_request', 'PROVIDER_MISCONFIGURED', 400, 'a request that the provider does not take'],
    ['invalid_grant', 'PROVIDER_CODE_INVALID', 400, 'a code that has ended'],
    ['temporarily_unavailable', 'PROVIDER_UNREACHABLE', 400, 'a provider that is busy'],
    ['never_heard_of', 'PROVIDER_ANSWER_INVALID', 400, 'an unknown error'],
  ];
  test.each(refused)(
    'names the error if the token endpoint of a code host refuses with %s (%s, %d): %s',
    async (error, name, status) => {
      const { app, codehost } = world();
      codehost.token = { status, body: { error, error_description: DESCRIPTION, error_uri: 'https://any.example' } };

      const reply = await throughCodehost(world(), app.client());

      expectErrorPage(reply, name);
      expect(reply.text).not.toContain('The client');
      const { line, words } = lastReason(world());
      expect(line).toMatchObject({ code: name, provider: 'codehost' });
      expect(words).toBe(
        `the token endpoint ${codehost.url}/token (CODEHOST_TOKEN_URL) refused with ${status} "${error}": "The client [31m is not known \\"here\\""`,
      );
    },
  );

  test.each(refused)(
    'names the error if the token endpoint of an issuer refuses with %s (%s, %d): %s',
    async (error, name, status) => {
      const { app, websso } = world();
      const client = app.client();
      const back = await websso.agree(await start(client, 'websso'), SUBJECT);
      websso.token = { status, body: { error, error_description: DESCRIPTION } };

      expectErrorPage(await client.page(back), name);
      const { line, words } = lastReason(world());
      expect(line).toMatchObject({ code: name, provider: 'websso' });
      expect(words).toContain(`(WEBSSO_ISSUER) refused with ${status} "${error}": "The client [31m is not known`);
    },
  );

  test('contains no code, verifier, secret or token, although the provider repeats them', async () => {
    const { app, codehost } = world();
    const client = app.client();
    const path = codehost.agree(await start(client, 'codehost'));
    const code = new URL(path, 'http://any').searchParams.get('code') ?? '';
    const token = 'gho_16C7e42F292c6912E7710c838347Ae178B4a';
    codehost.token = {
      status: 400,
      body: { error: code, error_description: `${code} of ${CLIENT.secret} is not ${token}`, [token]: 1 },
    };

    expectErrorPage(await client.page(path), 'PROVIDER_ANSWER_INVALID');
    codehost.token = { body: { access_token: token } };
    codehost.userEndpoint = { status: 401, body: { message: `Bad credentials: ${token}` } };
    expectErrorPage(await throughCodehost(world(), client), 'PROVIDER_MISCONFIGURED');

    expect(lastReason(world()).words).toContain('Bad credentials: [removed]');
    const log = JSON.stringify(app.log());
    for (const secret of [code, CLIENT.secret, token]) expect(log).not.toContain(secret);
  });

  test('contains only the beginning of a long description', async () => {
    const { app, codehost } = world();
    codehost.token = { status: 400, body: { error: 'e '.repeat(5000), error_description: 'word '.repeat(20_000) } };

    await throughCodehost(world(), app.client());

    expect(lastReason(world()).words.length).toBeLessThan(500);
  });

  test.each([
    ['invalid_scope', 'PROVIDER_MISCONFIGURED'],
    ['unauthorized_client', 'PROVIDER_MISCONFIGURED'],
    ['unsupported_response_type', 'PROVIDER_MISCONFIGURED'],
    ['access_denied', 'PROVIDER_CANCELLED'],
    ['made up\n', 'PROVIDER_PROOF_INVALID'],
  ] as const)('contains the error %j and its description if the browser comes back with them', async (error, name) => {
    const { app } = world();
    const client = app.client();
    const state = stateOf(await start(client, 'codehost'));
    const query = new URLSearchParams({ error, error_description: `${DESCRIPTION} ${state}`, state });

    expectErrorPage(await client.page(`/authsvc/api/codehost/login/callback?${query}`), name);
    expect(lastReason(world()).words).toBe(
      `the browser came back with the error "${error.trim()}": "The client [31m is not known \\"here\\" [removed]"`,
    );
  });

  test('names the setting for the field of the account id if that field is missing, and the fields of the reply', async () => {
    const { app, codehost } = world();
    codehost.user = { login: 'octo', name: 'Octo Cat', node_id: 'secret-value' };

    expectErrorPage(await throughCodehost(world(), app.client()), 'PROVIDER_MISCONFIGURED');

    const { words } = lastReason(world());
    expect(words).toBe(
      `the field "id" (CODEHOST_ID_FIELD) of the account is missing or null; the user endpoint ${codehost.url}/user (CODEHOST_USER_URL) sent the fields login, name, node_id`,
    );
  });

  const statuses: [string, ScriptedAnswer, ErrorName][] = [
    ['401 in plain text', { status: 401, body: 'Unauthorized' }, 'PROVIDER_MISCONFIGURED'],
    ['403 without an error', { status: 403, body: { message: 'no' } }, 'PROVIDER_MISCONFIGURED'],
    ['404', { status: 404, body: 'not here' }, 'PROVIDER_MISCONFIGURED'],
    ['a redirect to a sign-in page', { status: 302, location: '/users/sign_in' }, 'PROVIDER_MISCONFIGURED'],
    ['400 without an error', { status: 400, body: {} }, 'PROVIDER_ANSWER_INVALID'],
    ['a page', { body: '<html></html>' }, 'PROVIDER_ANSWER_INVALID'],
    ['fields without a token', { body: { token: 'x', scope: 'y' } }, 'PROVIDER_ANSWER_INVALID'],
  ];
  test.each(statuses)(
    'names the endpoint and its setting if the token endpoint replies with %s',
    async (_what, answer, name) => {
      const { app, codehost } = world();
      codehost.token = answer;

      expectErrorPage(await throughCodehost(world(), app.client()), name);
      expect(lastReason(world()).words).toContain(`the token endpoint ${codehost.url}/token (CODEHOST_TOKEN_URL)`);
    },
  );

  test('does not blame the settings if the user endpoint replies that there are too many requests', async () => {
    const { app, codehost } = world();
    codehost.userEndpoint = { status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: { message: 'later' } };

    expectErrorPage(await throughCodehost(world(), app.client()), 'PROVIDER_UNREACHABLE');
  });

  test('names both issuers of an ID token, its audience and the client, and how far the clocks are apart', async () => {
    const { app, websso } = world();
    const wordsAfter = async (tampering: Tampering) => {
      websso.tampering = tampering;
      expectErrorPage(await throughWebsso(world(), app.client(), SUBJECT), 'PROVIDER_PROOF_INVALID');
      return lastReason(world()).words;
    };
    const now = () => Math.floor(Date.now() / 1000);

    expect(await wordsAfter({ claims: (claims) => ({ ...claims, iss: 'https://other.example\n' }) })).toMatch(
      new RegExp(`iss is "https://other.example", expected "${websso.url}"$`),
    );
    expect(await wordsAfter({ claims: (claims) => ({ ...claims, aud: 'another' }) })).toMatch(
      /aud is "another", expected "the-client"$/,
    );
    expect(await wordsAfter({ claims: (claims) => ({ ...claims, exp: now() - 3600, iat: now() - 7200 }) })).toMatch(
      /exp is -36\d\d s from now; compare the clocks of both machines$/,
    );
    expect(await wordsAfter({ claims: (claims) => ({ ...claims, iat: now() + 7200 }) })).toMatch(
      /issued (71|72)\d\d s in the future; compare the clocks/,
    );
    expect(await wordsAfter({ claims: ({ sub, ...claims }) => claims })).toMatch(
      /its claims are iss, |; its claims are /,
    );
  });

  test('names both issuers of a reply (RFC 9207)', async () => {
    const { app, codehost, websso } = world();
    const client = app.client();
    const back = await websso.agree(await start(client, 'websso'), SUBJECT);
    await client.page(back.replace(/iss=[^&]*/, `iss=${encodeURIComponent('https://other.example')}`));
    expect(lastReason(world()).words).toBe(
      `the answer names the issuer "https://other.example", expected "${websso.url}"`,
    );

    const path = codehost.agree(await start(client, 'codehost'));
    await client.page(`${path}&iss=https%3A%2F%2Fother.example`);
    expect(lastReason(world()).words).toBe(
      `the answer names the issuer "https://other.example", but CODEHOST_AUTHORIZATION_URL is at ${codehost.url}`,
    );
  });
});

describe('an issuer that cannot be discovered', () => {
  test.for<[string, ScriptedAnswer, ErrorName, RegExp]>([
    ['404', { status: 404, body: 'no' }, 'PROVIDER_MISCONFIGURED', /is not there: it answered 404/],
    ['401', { status: 401, body: {} }, 'PROVIDER_MISCONFIGURED', /answered 401/],
    ['a page', { body: '<html></html>' }, 'PROVIDER_MISCONFIGURED', /without a JSON object \(text\/html\)/],
    [
      'a redirect',
      { status: 301, location: 'https://sso.example/a?b' },
      'PROVIDER_MISCONFIGURED',
      /redirects to "https:\/\/sso\.example\/a"/,
    ],
    [
      'another issuer',
      { body: { issuer: 'https://sso.example/realms/other' } },
      'PROVIDER_MISCONFIGURED',
      /names the issuer "https:\/\/sso\.example\/realms\/other", but WEBSSO_ISSUER is "http:\/\/127\.0\.0\.1:\d+"/,
    ],
    [
      'no issuer',
      { body: { token_endpoint: 'x' } },
      'PROVIDER_MISCONFIGURED',
      /names the issuer no issuer, but WEBSSO_ISSUER/,
    ],
    ['503', { status: 503, body: 'later' }, 'PROVIDER_UNREACHABLE', /answered 503/],
  ])('with %s at its discovery document is refused', async ([, answer, name, words], t) => {
    const { status = 200, body, location } = Object(answer);
    const url = await serve(t, (_request, reply) => {
      const isText = typeof body === 'string' || body === undefined;
      reply.writeHead(status, {
        'content-type': isText ? 'text/html' : 'application/json',
        ...(location ? { location } : {}),
      });
      reply.end(isText ? body : JSON.stringify(body));
    });
    const app = await startApp(t, {
      database: 'sqlite',
      settings: {
        WEBSSO_LOGIN_ENABLED: 'true',
        WEBSSO_CLIENT_ID: CLIENT.id,
        WEBSSO_CLIENT_SECRET: CLIENT.secret,
        WEBSSO_ISSUER: url,
      },
    });

    expectErrorPage(await app.client().page('/authsvc/api/websso/login'), name);

    const line = app.log().findLast(({ level }) => level === 'error');
    expect(line).toMatchObject({ code: name, provider: 'websso', err: { message: expect.stringMatching(words) } });
    expect(String(Object(line?.err).message)).toContain('WEBSSO_ISSUER');
  });
});
