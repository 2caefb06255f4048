import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { type ErrorName, errorRegistry } from '../../src/errors/registry.ts';
import { linkAccount } from '../../src/social/link-account.ts';
import { errorsEn } from '../../src/ui/texts/errors-en.ts';
import type { Client, Reply } from '../support/client.ts';
import type { DatabaseKind } from '../support/each-database.ts';
import { type OAuthServer, startOAuthServer } from '../support/oauth-server.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { type SeededUser, startApp, type TestApp } from '../support/start-app.ts';

/** A service with both built-in providers. */
export interface SocialWorld {
  app: TestApp;
  codehost: OAuthServer;
  websso: OpenIdProvider;
  /** Creates a user who is linked to this account. */
  linkedUser(provider: string, accountId: string, options?: Parameters<TestApp['seedUser']>[0]): Promise<SeededUser>;
}

type Owner = Parameters<typeof startApp>[0];

export async function startSocialWorld(
  owner: Owner,
  { database, settings = {} }: { database: DatabaseKind; settings?: Record<string, string> },
): Promise<SocialWorld> {
  const codehost = await startOAuthServer(owner);
  const websso = await startOpenIdProvider(owner);
  const all = { ...codehost.settings, ...websso.settings, LOGIN_REDIRECT_URL: '/home', ...settings };
  const app = await startApp(owner, { database, settings: all });
  websso.admit(app.services.baseUrl());
  return {
    app,
    codehost,
    websso,
    linkedUser: async (provider, accountId, options) => {
      const user = await app.seedUser(options);
      await linkAccount(app.change(), { provider, accountId, user });
      return user;
    },
  };
}

/**
 * Starts one service with its providers for all tests of the describe block. Before each test, changed replies of the
 * providers are reset.
 */
export function sharedSocialWorld(database: DatabaseKind, settings?: Record<string, string>): () => SocialWorld {
  const stops: (() => Promise<void>)[] = [];
  let world: SocialWorld | undefined;
  const get = (): SocialWorld => {
    if (!world) throw new Error('the world is there only while a test runs');
    return world;
  };
  beforeAll(async () => {
    const owner = { onTestFinished: (stop: () => Promise<void>) => void stops.unshift(stop) };
    world = await startSocialWorld(owner, { database, ...(settings ? { settings } : {}) });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
  });
  beforeEach(() => {
    const { codehost, websso } = get();
    Object.assign(codehost, { token: undefined, userEndpoint: undefined, user: { id: 4711 } });
    Object.assign(websso, { tampering: undefined, token: undefined, isUp: true });
    codehost.seen.length = 0;
    websso.seen.length = 0;
  });
  return get;
}

/** Presses the button of a provider. Returns the URL to which the browser is sent. */
export async function start(client: Client, provider: string, query = ''): Promise<string> {
  const reply = await client.page(`/authsvc/api/${provider}/login${query}`);
  expect(reply.status, reply.text.slice(0, 500)).toBe(302);
  return String(reply.headers.location);
}

export const stateOf = (address: string): string => new URL(address, 'http://any').searchParams.get('state') ?? '';

/** Signs in through the code host, where the person agrees. Returns the reply of the callback. */
export async function throughCodehost({ codehost }: SocialWorld, client: Client, query?: string): Promise<Reply> {
  return client.page(codehost.agree(await start(client, 'codehost', query)));
}

export async function throughWebsso({ websso }: SocialWorld, client: Client, subject: string, query?: string) {
  return client.page(await websso.agree(await start(client, 'websso', query), subject));
}

/**
 * Checks that a reply is the page of this error. It must contain no text of the provider, and must not sign the person
 * in.
 */
export function expectErrorPage(reply: Reply, name: ErrorName): void {
  const { status, message, number } = errorRegistry[name];
  const plainer = errorsEn[name]?.message ?? message;
  const [, heading] = /<h1 id="heading">([^<]*)/.exec(reply.text) ?? [];
  expect(reply.text).toContain(`>${name}<`);
  // The page of this error names the provider, but the reply to programs does not.
  expect(heading?.replaceAll('&#39;', "'")).toContain(
    name === 'PROVIDER_ACCOUNT_NOT_LINKED' ? 'account is not linked to an account' : plainer,
  );
  expect(reply.text).toContain(String(number));
  expect(reply.status).toBe(status);
  expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(reply.text).not.toContain('UPSTREAM-DETAIL');
  expect(reply.cookies.filter((cookie) => !cookie.isCleared)).toEqual([]);
}
