import { describe, expect, type TestContext, test } from 'vitest';
import { CLIENT } from '../support/oauth-server.ts';
import { serve } from '../support/serve.ts';
import { startApp } from '../support/start-app.ts';
import { expectErrorPage, start, stateOf } from './social-support.ts';

/**
 * Starts a service whose OpenID Provider returns the documents in `documents`, by path. Objects are sent as JSON and
 * texts unchanged.
 */
async function startScripted(t: TestContext) {
  const documents: Record<string, unknown> = {};
  const url = await serve(t, (request, reply) => {
    const document = documents[request.url ?? ''];
    reply.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    reply.end(typeof document === 'string' ? document : JSON.stringify(document));
  });
  const discovery = {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
  };
  const setDiscovery = (changes: Record<string, unknown>) => {
    documents['/.well-known/openid-configuration'] = { ...discovery, ...changes };
  };
  setDiscovery({});
  const settings = {
    WEBSSO_LOGIN_ENABLED: 'true',
    WEBSSO_CLIENT_ID: CLIENT.id,
    WEBSSO_CLIENT_SECRET: CLIENT.secret,
    WEBSSO_ISSUER: url,
  };
  return { app: await startApp(t, { database: 'sqlite', settings }), documents, setDiscovery };
}

describe('a discovery document that cannot be used', () => {
  test.for([
    ['no authorization endpoint', { authorization_endpoint: undefined }],
    ['a script as authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a path as authorization endpoint', { authorization_endpoint: '/authorize' }],
    ['no token endpoint', { token_endpoint: undefined }],
    ['a number as token endpoint', { token_endpoint: 7 }],
    ['no keys', { jwks_uri: undefined }],
    ['keys in a data: URL', { jwks_uri: 'data:application/json,{"keys":[]}' }],
  ] as const)(
    'with %s is refused at the start, and a correct one is used as soon as it exists',
    async ([, changes], t) => {
      const { app, setDiscovery } = await startScripted(t);
      setDiscovery(changes);

      const refused = await app.client().page('/authsvc/api/websso/login');
      setDiscovery({});
      const address = await start(app.client(), 'websso');

      expectErrorPage(refused, 'PROVIDER_MISCONFIGURED');
      expect(new URL(address).pathname).toBe('/authorize');
    },
  );
});

describe('a reply of the token endpoint that is not a JSON object', () => {
  test.for(['[]', 'null', '"text"', '{"access_token":', ''])('is refused: %s', async (body, t) => {
    const { app, documents } = await startScripted(t);
    documents['/token'] = body;
    const client = app.client();
    const state = stateOf(await start(client, 'websso'));

    const reply = await client.page(`/authsvc/api/websso/login/callback?code=any&state=${state}`);

    expectErrorPage(reply, 'PROVIDER_ANSWER_INVALID');
  });
});
