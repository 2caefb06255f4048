import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { takenProviderNames } from '../../src/settings/provider-names.ts';
import { linkAccount } from '../../src/social/link-account.ts';
import { allRoutes } from '../../tools/docs/all-routes.ts';
import { eachDatabase } from '../support/each-database.ts';
import { type OAuthServer, startOAuthServer } from '../support/oauth-server.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { startApp, type TestApp } from '../support/start-app.ts';
import { expectErrorPage, start } from './social-support.ts';
import { dumpDatabase } from './support.ts';

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

/** Starts a service with two providers in PROVIDERS, and the code host beside them. */
function sharedNamedWorld(database: Parameters<typeof startApp>[1]['database']) {
  const stops: (() => Promise<void> | void)[] = [];
  let world: { app: TestApp; forge: OAuthServer; corp: OpenIdProvider; codehost: OAuthServer } | undefined;
  beforeAll(async () => {
    const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.unshift(stop) };
    const folder = mkdtempSync(join(tmpdir(), 'authsvc-logo-'));
    stops.push(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'forge.svg'), LOGO);
    const [forge, corp, codehost] = [
      await startOAuthServer(owner),
      await startOpenIdProvider(owner),
      await startOAuthServer(owner),
    ];
    const settings = {
      ...codehost.settings,
      PROVIDERS: 'forge,corp-sso',
      ...forge.settingsOf('PROVIDER_FORGE_'),
      ...corp.settingsOf('PROVIDER_CORP_SSO_'),
      PROVIDER_FORGE_LABEL: 'Our <Forge>',
      PROVIDER_FORGE_LOGO: join(folder, 'forge.svg'),
      PROVIDER_FORGE_ID_FIELD: 'account',
      LOGIN_REDIRECT_URL: '/home',
      AUTHSVC_TWO_FA_ENABLE: 'true',
    };
    const app = await startApp(owner, { database, settings });
    corp.admit(app.services.baseUrl(), 'corp-sso');
    world = { app, forge, corp, codehost };
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  return () => {
    if (!world) throw new Error('the world is there only while a test runs');
    return world;
  };
}

eachDatabase('providers in PROVIDERS', (database) => {
  const world = sharedNamedWorld(database);
  const linkedUser = async (provider: string, accountId: string) => {
    const { app } = world();
    const user = await app.seedUser();
    await linkAccount(app.change(), { provider, accountId, user });
    return user;
  };

  test('an OAuth 2.0 provider signs its linked user in, under its own name', async () => {
    const { app, forge } = world();
    const ada = await linkedUser('forge', '4711');
    forge.user = { id: 1, account: 4711 };
    const client = app.client();

    const reply = await client.page(forge.agree(await start(client, 'forge', '?redirect=%2Fapp')));

    expect([reply.status, reply.headers.location]).toEqual([302, '/app']);
    expect(reply.cookies.find(({ name }) => name === 'last_login_method')?.value).toBe('forge');
    expect(app.log().findLast(({ audit }) => audit === 'user.signed_in')).toMatchObject({
      subject_id: ada.id,
      details: { method: 'forge' },
    });
    const { sessions = [] } = await dumpDatabase(app);
    const session = sessions.map((row) => JSON.parse(row)).find((row) => row.user_id === ada.id);
    expect(session).toMatchObject({ method: 'forge' });
  });

  test('an OpenID Provider signs its linked user in, under its own name', async () => {
    const { app, corp } = world();
    const bob = await linkedUser('corp-sso', 'sub-bob');
    const client = app.client();

    const reply = await client.page(await corp.agree(await start(client, 'corp-sso'), 'sub-bob'));

    expect([reply.status, reply.headers.location]).toEqual([302, '/home']);
    expect(reply.cookies.find(({ name }) => name === 'last_login_method')?.value).toBe('corp-sso');
    expect(app.log().findLast(({ audit }) => audit === 'user.signed_in')).toMatchObject({
      subject_id: bob.id,
      details: { method: 'corp-sso' },
    });
  });

  test('the callback URL and a missing scope are those of the provider', async () => {
    const address = new URL(await start(world().app.client(), 'forge'));

    expect(address.searchParams.get('redirect_uri')).toBe(
      `${world().app.services.baseUrl()}/authsvc/api/forge/login/callback`,
    );
    expect(address.searchParams.has('scope')).toBe(false);
  });

  test('a link at one provider is not valid at another of the same type', async () => {
    const { app, codehost } = world();
    await linkedUser('forge', '815');
    codehost.user = { id: 815 };
    const client = app.client();

    const reply = await client.page(codehost.agree(await start(client, 'codehost')));

    expectErrorPage(reply, 'PROVIDER_ACCOUNT_NOT_LINKED');
    expect(reply.text).toContain('Your Codehost account is not linked');
  });

  test('a state of one provider is not valid at another', async () => {
    const { app, forge } = world();
    const client = app.client();
    const path = forge.agree(await start(client, 'forge'));

    const reply = await client.page(path.replace('/forge/', '/codehost/'));

    expectErrorPage(reply, 'SOCIAL_START_UNKNOWN');
  });

  test('a refusal names the provider by its label', async () => {
    const { app, forge } = world();
    forge.user = { account: 99 };
    const client = app.client();

    const reply = await client.page(forge.agree(await start(client, 'forge')));

    expectErrorPage(reply, 'PROVIDER_ACCOUNT_NOT_LINKED');
    expect(reply.text).toContain('Your Our &lt;Forge&gt; account is not linked');
  });

  test('each has its own rate limit', async () => {
    const address = '198.51.100.77';
    const client = world().app.client();
    const statusOf = async (provider: string) =>
      (await client.page(`/authsvc/api/${provider}/login`, { address })).status;
    for (let at = 0; at < 10; at += 1) expect(await statusOf('forge')).toBe(302);

    expect([await statusOf('forge'), await statusOf('corp-sso'), await statusOf('codehost')]).toEqual([429, 302, 302]);
  });

  test('the login page has their buttons, with label and logo, and marks the one that was used last', async () => {
    const { app, forge } = world();
    await linkedUser('forge', '4712');
    forge.user = { account: 4712 };
    const client = app.client();
    await client.page(forge.agree(await start(client, 'forge')));
    client.jar.delete('session_id');

    const { text } = await client.page('/authsvc/login?redirect=%2Fapp');

    const buttons = [...text.matchAll(/<a class="button button-provider" href="([^"]+)">(.*?)<\/a>/gs)];
    expect(buttons.map(([, href]) => href)).toEqual(
      ['codehost', 'forge', 'corp-sso'].map((name) => `/authsvc/api/${name}/login?redirect=%2Fapp`),
    );
    const [, ofForge = '', ofCorp = ''] = buttons.map(([, , content]) => content);
    expect(ofForge).toContain('Continue with Our &lt;Forge&gt;');
    expect(ofForge).toContain('Last used');
    expect(ofCorp).toContain('Continue with Corp sso');
    expect(ofCorp).not.toContain('Last used');
    const [, logo = ''] = /<img class="provider-logo" src="([^"]+)"/.exec(ofForge) ?? [];
    expect((await client.get(logo)).text).toBe(LOGO);
  });
});

test('no provider has the name of a route under /authsvc/api/', () => {
  const used = allRoutes.flatMap(({ path }) => /^\/authsvc\/api\/([a-z0-9-]+)(?=\/|$)/.exec(path)?.slice(1) ?? []);

  expect(used).toContain('switch-session');
  expect(used.filter((name) => !takenProviderNames.includes(name))).toEqual([]);
});

describe('a provider without credentials', () => {
  test('has no button, while one with credentials does', async (t) => {
    const codehost = await startOAuthServer(t);
    const app = await startApp(t, {
      database: 'sqlite',
      settings: { ...codehost.settings, WEBSSO_LOGIN_ENABLED: 'true', WEBSSO_CLIENT_ID: 'id' },
    });

    const { text } = await app.client().page('/authsvc/login');

    expect(text).toContain('/authsvc/api/codehost/login');
    expect(text).not.toContain('/authsvc/api/websso/login');
  });
});
