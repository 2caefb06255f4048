import { describe, expect, test } from 'vitest';
import { isUsable } from './identity-providers.ts';
import { loadSettings } from './load.ts';
import { providerFields } from './provider-fields.ts';
import { parseProviderNames, takenProviderNames } from './provider-names.ts';
import { SettingsError } from './settings-error.ts';

type Texts = Record<string, string>;

const load = (env: Texts) => loadSettings({ env, folder: '/nowhere' });
const providerOf = (env: Texts, name: string) => load(env).identityProviders.find((provider) => provider.name === name);

const FORGE = {
  PROVIDERS: 'forge',
  PROVIDER_FORGE_TYPE: 'oauth2',
  PROVIDER_FORGE_CLIENT_ID: 'the-id',
  PROVIDER_FORGE_CLIENT_SECRET: 'the-secret',
  PROVIDER_FORGE_AUTHORIZATION_URL: 'https://git.example.com/authorize',
  PROVIDER_FORGE_TOKEN_URL: 'https://git.example.com/token',
  PROVIDER_FORGE_USER_URL: 'https://git.example.com/user',
};
const CORP = {
  PROVIDERS: 'corp-sso',
  PROVIDER_CORP_SSO_TYPE: 'oidc',
  PROVIDER_CORP_SSO_CLIENT_ID: 'the-id',
  PROVIDER_CORP_SSO_CLIENT_SECRET: 'the-secret',
  PROVIDER_CORP_SSO_ISSUER: 'https://sso.example.com/realms/main',
};

/** Returns the keys in the SettingsError, in its order; empty if the settings are accepted. */
function refusedKeys(env: Texts): string[] {
  try {
    load(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return [...error.keys];
    throw error;
  }
}

function messageOf(env: Texts): string {
  try {
    load(env);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

describe('the providers of a service', () => {
  test('are only the two built-in ones, disabled, if PROVIDERS is not set', () => {
    expect(load({}).identityProviders).toMatchObject([
      { name: 'codehost', type: 'oauth2', isEnabled: false, label: 'Codehost', scope: 'read:user', idField: 'id' },
      { name: 'websso', type: 'oidc', isEnabled: false, label: 'Web SSO', issuer: 'https://accounts.google.com' },
    ]);
  });

  test('include those in PROVIDERS, after the built-in ones and in the order of the list', () => {
    const names = load({ ...FORGE, ...CORP, PROVIDERS: 'corp-sso, forge' }).identityProviders.map(({ name }) => name);

    expect(names).toEqual(['codehost', 'websso', 'corp-sso', 'forge']);
  });

  test('have the type that is set, and their own default label', () => {
    expect(providerOf(FORGE, 'forge')).toMatchObject({
      type: 'oauth2',
      isEnabled: true,
      label: 'Forge',
      logo: undefined,
      clientId: 'the-id',
      clientSecret: 'the-secret',
      scope: undefined,
      authorizationUrl: 'https://git.example.com/authorize',
      tokenUrl: 'https://git.example.com/token',
      userUrl: 'https://git.example.com/user',
      idField: 'id',
    });
    expect(providerOf(CORP, 'corp-sso')).toMatchObject({
      type: 'oidc',
      label: 'Corp sso',
      scope: 'openid profile email',
      issuer: 'https://sso.example.com/realms/main',
    });
  });

  test('name the settings that their values come from', () => {
    expect(providerOf(CORP, 'corp-sso')?.keys).toMatchObject({ ISSUER: 'PROVIDER_CORP_SSO_ISSUER' });
    expect(providerOf({}, 'codehost')?.keys).toMatchObject({
      CLIENT_SECRET: 'CODEHOST_APP_CLIENT_SECRET',
      ID_FIELD: 'CODEHOST_ID_FIELD',
    });
  });

  test('can be set in authsvcShared', () => {
    const authsvcShared = JSON.stringify(FORGE);

    expect(providerOf({ authsvcShared }, 'forge')?.clientId).toBe('the-id');
  });

  test.each<[string, Texts, boolean]>([
    ['off', {}, false],
    ['on without credentials', { CODEHOST_LOGIN_ENABLED: 'true' }, false],
    ['on with an id alone', { CODEHOST_LOGIN_ENABLED: 'true', CODEHOST_APP_CLIENT_ID: 'id' }, false],
    [
      'on with both',
      { CODEHOST_LOGIN_ENABLED: 'true', CODEHOST_APP_CLIENT_ID: 'id', CODEHOST_APP_CLIENT_SECRET: 's' },
      true,
    ],
    ['off with both', { CODEHOST_APP_CLIENT_ID: 'id', CODEHOST_APP_CLIENT_SECRET: 's' }, false],
  ])('can be used only if they are on and have both credentials: %s', (_what, env, expected) => {
    const codehost = providerOf(env, 'codehost');

    expect(codehost && isUsable(codehost)).toBe(expected);
  });
});

describe('names of providers', () => {
  test.each(['ab', '4a', 'a1-b2', 'a--b', 'a'.repeat(32), 'constructor'])('%s is accepted', (name) => {
    expect(parseProviderNames(name)).toEqual([name]);
  });

  test.each(['a', 'a'.repeat(33), 'Forge', 'for_ge', '-ab', 'ab-', 'a b', 'ab,', ',ab', 'ab,,cd', 'ab,ab', 'fórge'])(
    '%s is refused',
    (text) => {
      expect(() => parseProviderNames(text)).toThrow();
      expect(refusedKeys({ PROVIDERS: text })).toContain('PROVIDERS');
    },
  );

  test.each(takenProviderNames)('%s is reserved', (name) => {
    expect(messageOf({ PROVIDERS: `forge,${name}` })).toContain(`PROVIDERS: expected names other than ${name}, `);
  });
});

describe('the message about invalid providers', () => {
  test.each<[string, Texts, string[]]>([
    [
      'every setting that a provider lacks, also those of its type if the type is known',
      { PROVIDERS: 'forge,corp,bare', PROVIDER_FORGE_TYPE: 'oauth2', PROVIDER_CORP_TYPE: 'oidc' },
      [
        'PROVIDER_FORGE_CLIENT_ID',
        'PROVIDER_FORGE_CLIENT_SECRET',
        'PROVIDER_FORGE_AUTHORIZATION_URL',
        'PROVIDER_FORGE_TOKEN_URL',
        'PROVIDER_FORGE_USER_URL',
        'PROVIDER_CORP_CLIENT_ID',
        'PROVIDER_CORP_CLIENT_SECRET',
        'PROVIDER_CORP_ISSUER',
        'PROVIDER_BARE_CLIENT_ID',
        'PROVIDER_BARE_CLIENT_SECRET',
        'PROVIDER_BARE_TYPE',
      ],
    ],
    ['a part that is empty', { ...FORGE, PROVIDER_FORGE_USER_URL: ' ' }, ['PROVIDER_FORGE_USER_URL']],
    [
      'every invalid value, together with the invalid value of another setting',
      {
        ...FORGE,
        PORT: 'eighty',
        PROVIDER_FORGE_TYPE: 'saml',
        PROVIDER_FORGE_TOKEN_URL: 'git.example.com/token',
        PROVIDER_FORGE_USER_URL: 'https://user:pass@git.example.com/user',
        PROVIDER_FORGE_LOGO: '/nowhere/logo.svg',
        PROVIDER_FORGE_LABEL: '…',
      },
      [
        'PORT',
        'PROVIDER_FORGE_TYPE',
        'PROVIDER_FORGE_LABEL',
        'PROVIDER_FORGE_LOGO',
        'PROVIDER_FORGE_TOKEN_URL',
        'PROVIDER_FORGE_USER_URL',
      ],
    ],
    [
      'an issuer with a query',
      { ...CORP, PROVIDER_CORP_SSO_ISSUER: 'https://sso.example.com/?a=b' },
      ['PROVIDER_CORP_SSO_ISSUER'],
    ],
    [
      'settings of a provider that PROVIDERS does not list, and of a field that does not exist',
      { ...FORGE, PROVIDER_FROGE_LABEL: 'x', PROVIDER_FORGE_SCOPES: 'x', PROVIDER_TYPE: 'x' },
      ['PROVIDER_FROGE_LABEL', 'PROVIDER_FORGE_SCOPES', 'PROVIDER_TYPE'],
    ],
    ['keys without PROVIDERS', { PROVIDER_FORGE_TYPE: 'oidc' }, ['PROVIDER_FORGE_TYPE']],
    [
      'settings that only the other type of provider has',
      { ...FORGE, PROVIDER_FORGE_ISSUER: 'https://sso.example.com' },
      ['PROVIDER_FORGE_ISSUER'],
    ],
    ['a name that cannot be used, without its keys', { ...FORGE, PROVIDERS: 'FORGE' }, ['PROVIDERS']],
    ['a scope without openid', { ...CORP, PROVIDER_CORP_SSO_SCOPE: 'profile email' }, ['PROVIDER_CORP_SSO_SCOPE']],
    [
      'an issuer over http when deployed',
      {
        ...CORP,
        PROVIDER_CORP_SSO_ISSUER: 'http://sso.example.com',
        IS_DEPLOYED: 'true',
        BASE_URL: 'https://auth.example.com',
        SESSION_SECRET_KEY: 'a-secret-of-32-characters-012345',
      },
      ['PROVIDER_CORP_SSO_ISSUER'],
    ],
  ])('reports %s', (_what, env, keys) => {
    expect(refusedKeys(env)).toEqual(keys);
    for (const line of messageOf(env).split('\n').slice(1))
      expect(line).toMatch(/^ {2}\w+: expected .+\. Example: \w+=/);
  });

  test('contains no secret', () => {
    expect(messageOf({ ...FORGE, PROVIDER_FORGE_TYPE: 'x', PROVIDER_FROGE_CLIENT_SECRET: 'hunter-22' })).not.toMatch(
      /the-secret|hunter-22/,
    );
  });
});

test('the parser of every field accepts its example, unless the example is a file', () => {
  for (const [field, { parse, example }] of Object.entries(providerFields)) {
    if (!example.startsWith('/etc/')) expect(() => parse(example), field).not.toThrow();
  }
});
