// Sends the requests that software sends if it is set up as docs/openid-connect.md says. Covers only software that no
// trial runs.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { NewApplication } from '../../src/applications/add-application.ts';
import { randomText } from '../../src/lib/random.ts';
import type { Client, Reply } from '../support/client.ts';
import { eachDatabase } from '../support/each-database.ts';
import {
  claimsIn,
  personOf,
  type RelyingParty,
  redeem,
  refresh,
  registerRelyingParty,
  sentTo,
  userinfo,
} from '../support/relying-party.ts';
import { sharedApp } from './support.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/openid-connect.md'), 'utf8');

/** Returns the code block with this language in a section of the page. */
function blockOf(section: string, language: string): string {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  const [, block = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text) ?? [];
  return block;
}

const grafanaSettings = new Map(
  [...blockOf('Grafana', 'ini').matchAll(/^(\w+) = (.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
);
const grafana = (name: string): string => grafanaSettings.get(name) ?? '';

/** The options of Gitea, in their order. */
const giteaOptions = [...blockOf('Gitea', 'sh').matchAll(/--([\w-]+) (\S+)/g)].map(([, name, value]) => ({
  name,
  value: value ?? '',
}));
const giteaOption = (name: string): string => giteaOptions.find((option) => option.name === name)?.value ?? '';

/** Both programs create a verifier of at most 128 characters, and percent-encode every parameter. */
const verifier = randomText(96);
const challenge = createHash('sha256').update(verifier).digest('base64url');
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };

const ISSUER = 'https://auth.example.com';
const pathOf = (address: string): string => {
  const { pathname, search } = new URL(address);
  return pathname + search;
};

eachDatabase('software that is set up as in the guide', (database) => {
  const app = sharedApp({ database, settings: { BASE_URL: ISSUER } });
  const program = () => app().client();
  const register = (fields: Partial<NewApplication>) => registerRelyingParty(app(), fields);
  const authorize = (browser: Client, address: string, rp: RelyingParty, more: Record<string, string>) =>
    browser.page(`${pathOf(address)}?${new URLSearchParams({ ...more, client_id: rp.key, response_type: 'code' })}`);
  const tokensFor = (rp: RelyingParty, answer: Reply, callback: string) =>
    redeem(program(), rp, sentTo(answer, 'code'), { redirect_uri: callback, code_verifier: verifier });

  describe('Grafana', () => {
    const callback = 'https://grafana.example.com/login/generic_oauth';
    const after = 'https://grafana.example.com/login';

    test('signs a person in, gets the claims that its settings name, refreshes, and signs the person out', async () => {
      const rp = await register({
        key: grafana('client_id'),
        redirectUris: [callback],
        postLogoutRedirectUris: [after],
      });
      const { user, browser } = await personOf(app(), rp);
      const asked = { redirect_uri: callback, scope: grafana('scopes'), state: `${randomText(32)}=`, ...pkce };

      const answer = await authorize(browser, grafana('auth_url'), rp, asked);
      const { body: tokens } = await tokensFor(rp, answer, callback);
      const { body: info } = await program().get(pathOf(grafana('api_url')), {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
      const refreshed = await refresh(program(), rp, tokens.refresh_token);
      const hint = `&id_token_hint=${tokens.id_token}`;
      const left = await browser.page(pathOf(grafana('signout_redirect_url')) + hint);

      expect([grafana('use_pkce'), grafana('use_refresh_token')]).toEqual(['true', 'true']);
      expect(pathOf(grafana('token_url'))).toBe('/authsvc/oidc/token');
      expect([sentTo(answer, 'state'), refreshed.status]).toEqual([asked.state, 200]);
      const login = grafana('login_attribute_path');
      for (const claims of [claimsIn(tokens.id_token), info]) {
        expect([claims[login], claims.roles]).toEqual([user.username, ['normaluser']]);
        for (const name of [grafana('name_attribute_path'), 'sub']) expect(claims).toHaveProperty(name);
        for (const name of ['login', 'username', 'email']) expect(claims).not.toHaveProperty(name);
      }
      expect([left.headers.location, await browser.isSignedIn()]).toEqual([after, false]);
    });
  });

  describe('Gitea', () => {
    const callback = 'https://git.example.com/user/oauth2/authsvc/callback';
    const scopes = giteaOptions.flatMap(({ name, value }) => (name === 'scopes' ? [value] : []));
    const asked = { redirect_uri: callback, scope: [...scopes, 'openid'].join(' '), state: 's' };

    test('finds every endpoint, signs a person in, and gets the roles', async () => {
      const rp = await register({ key: giteaOption('key'), redirectUris: [callback] });
      const { user, browser } = await personOf(app(), rp);

      const { body: found } = await program().get(pathOf(giteaOption('auto-discover-url')));
      const answer = await authorize(browser, String(found.authorization_endpoint), rp, { ...asked, ...pkce });
      const { body: tokens } = await tokensFor(rp, answer, callback);
      const { body: info } = await userinfo(program(), tokens.access_token);

      expect(callback).toContain(`/${giteaOption('name')}/`);
      expect([found.issuer, found.userinfo_endpoint]).toEqual([ISSUER, `${ISSUER}/authsvc/oidc/userinfo`]);
      expect(claimsIn(tokens.id_token)).toMatchObject({ iss: ISSUER, aud: rp.key, sub: user.sub });
      expect(info).toMatchObject({ sub: user.sub, preferred_username: user.username });
      expect(info[giteaOption('group-claim-name')]).toEqual(['normaluser']);
    });

    test('in a release without PKCE is refused, even with --without-pkce, because it sends no nonce', async () => {
      const rp = await register({ redirectUris: [callback], pkceRequired: false });
      const { browser } = await personOf(app(), rp);

      const answer = await authorize(browser, `${ISSUER}/authsvc/oidc/authorize`, rp, asked);

      expect(sentTo(answer, 'error')).toBe('invalid_request');
    });
  });
});
