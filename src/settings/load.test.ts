import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadSettings } from './load.ts';
import { SettingsError } from './settings-error.ts';
import { settingsTable } from './table.ts';

type Texts = Record<string, string>;

const NOWHERE = '/nowhere';
const SECRET = 'a-secret-of-32-characters-012345';
const DEPLOYED = { IS_DEPLOYED: 'true', BASE_URL: 'https://auth.example.com', SESSION_SECRET_KEY: SECRET };

function folderWith(dotenv: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'authsvc-settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, '.env'), dotenv);
  return folder;
}

/** Returns the message of the SettingsError; empty if the settings are accepted. */
function complaintOf(env: Texts, folder = NOWHERE): string {
  try {
    loadSettings({ env, folder });
    return '';
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
}

test('a .env that exists but cannot be read is refused', () => {
  const folder = folderWith('PORT=4000');
  rmSync(join(folder, '.env'));
  mkdirSync(join(folder, '.env'));

  expect(complaintOf({}, folder)).toContain(
    `${join(folder, '.env')} cannot be read: ${join(folder, '.env')} is a folder, not a file.`,
  );
});

test('without any settings every default applies', () => {
  const settings = loadSettings({ env: {}, folder: NOWHERE });

  expect(settings).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 3000,
    BASE_URL: undefined,
    APP_NAME: 'authsvc',
    DOMAIN: undefined,
    IS_DEPLOYED: false,
    SESSION_SECRET_KEY: undefined,
    MAIN_SECRET_TOKEN: undefined,
    DATABASE_URL: 'sqlite:./data/authsvc.sqlite',
    DATABASE_POOL_MAX: 10,
    LOGIN_REDIRECT_URL: '/authsvc/',
    COOKIE_EXPIRE_TIME: 2,
    MAX_SESSIONS_PER_USER: 5,
    MAX_REMEMBERED_ACCOUNTS: 5,
    AUTHSVC_TWO_FA_ENABLE: false,
    DEVICE_TRUST_DURATION_DAYS: 7,
    LOGIN_UNKNOWN_USER_STATUS: '404',
    MAX_TOKENS_PER_USER: 10,
    TRUST_PROXY: false,
    RATE_LIMITS: {},
    CODEHOST_LOGIN_ENABLED: false,
    CODEHOST_ID_FIELD: 'id',
    CODEHOST_SCOPE: 'read:user',
    WEBSSO_LOGIN_ENABLED: false,
    WEBSSO_ISSUER: 'https://accounts.google.com',
    WEBSSO_SCOPE: 'openid profile email',
    UPDATE_CHECK: 'on',
    LOG_LEVEL: 'info',
    env: undefined,
    dbLogs: false,
  });
  expect(Object.keys(settings)).toEqual([...Object.keys(settingsTable), 'identityProviders']);
});

test.each([
  ['the command line over all', { PORT: '1' }, { PORT: '2' }, 'PORT=3', '4', 1],
  ['the environment over .env', {}, { PORT: '2' }, 'PORT=3', '4', 2],
  ['.env over authsvcShared', {}, {}, 'PORT=3', '4', 3],
  ['authsvcShared over the default', {}, {}, '', '4', 4],
  ['.env over an empty value in the environment', {}, { PORT: '' }, 'PORT=3', '4', 3],
  ['authsvcShared over empty values', { PORT: '' }, { PORT: '' }, 'PORT=', '4', 4],
  ['authsvcShared over blank values', { PORT: ' ' }, { PORT: '\t' }, 'PORT="  "', '4', 4],
  ['the default over empty values', {}, { PORT: '' }, 'PORT=', '', 3000],
] as const)('order of precedence: %s', (_what, overrides, env, dotenv, shared, port) => {
  const authsvcShared = JSON.stringify({ PORT: shared });

  const settings = loadSettings({ overrides, env: { ...env, authsvcShared }, folder: folderWith(dotenv) });

  expect(settings.PORT).toBe(port);
});

test('authsvcShared may be in .env, and may contain numbers, booleans and keys of other programs', () => {
  const shared = '{"PORT":4000,"CODEHOST_LOGIN_ENABLED":true,"DOMAIN":"example.com","SOMETHING":"else"}';

  const settings = loadSettings({ env: {}, folder: folderWith(`authsvcShared='${shared}'`) });

  expect(settings).toMatchObject({ PORT: 4000, CODEHOST_LOGIN_ENABLED: true, DOMAIN: 'example.com' });
});

test.each([
  'BRAND_ACCENT=#0057b8',
  'BRAND_ACCENT= teal#0057b8',
  'export BRAND_ACCENT=teal# a comment',
  "BRAND_ACCENT='it's#0057b8",
  'BRAND_ACCENT=`x#y',
  'authsvcShared={"BRAND_ACCENT":"#0057b8"}',
])('a value that a # would cut off is refused: %s', (line) => {
  const key = line.includes('Shared') ? 'authsvcShared' : 'BRAND_ACCENT';
  const load = (env: Record<string, string>) => loadSettings({ env, folder: folderWith(`PORT=4000\n${line}\n`) });
  expect(() => load({})).toThrow(new RegExp(`^These settings cannot be used:\n {2}${key}: expected quotes around .*$`));
  expect(load({ [key]: key === 'authsvcShared' ? '{}' : 'teal' }).PORT).toBe(4000);
});

test.each([
  ["BRAND_ACCENT='#0057b8'", '#0057b8'],
  ['BRAND_ACCENT="#0057b8" # a comment', '#0057b8'],
  ['BRAND_ACCENT=teal # a comment', '#008080'],
  ['BRAND_ACCENT= # a comment', undefined],
  ['BRAND_ACCENT= ## a comment', undefined],
  ['BRAND_ACCENT=teal ### a comment ###', '#008080'],
  ['BRAND_ACCENT=red#x\nBRAND_ACCENT=teal', '#008080'],
  ['BRAND_ACCENT: # a comment, #1', undefined],
  ['# BRAND_ACCENT=#0057b8', undefined],
  ['CODEHOST_LABEL="a\nBRAND_ACCENT=#0057b8\nb"', undefined],
])('a # in quotes, or one that begins a comment, changes nothing: %j', (text, accent) => {
  expect(loadSettings({ env: {}, folder: folderWith(text) }).BRAND_ACCENT).toBe(accent);
});

test('spaces around a value are ignored', () => {
  expect(loadSettings({ env: { PORT: ' 4000 ', IS_DEPLOYED: ' f ' }, folder: NOWHERE }).PORT).toBe(4000);
});

test('one message lists every invalid setting with what was expected and an example', () => {
  const bad = {
    PORT: 'eighty',
    COOKIE_EXPIRE_TIME: '-1',
    BASE_URL: 'not a url',
    TRUST_PROXY: 'sometimes',
    authsvcShared: '{',
  };

  const lines = complaintOf({ ...bad, APP_NAME: 'fine' })
    .split('\n')
    .slice(1);

  expect(lines.map((line) => /^ {2}(\w+): expected .+\. Example: \1=.+/.exec(line)?.[1]).sort()).toEqual(
    Object.keys(bad).sort(),
  );
});

test('each parser accepts the example of its setting, unless the example is a description', () => {
  for (const [key, { parse, example }] of Object.entries(settingsTable)) {
    if (/^(the output of|as shown|\/etc\/)/.test(example)) continue;
    expect(() => parse(example), key).not.toThrow();
  }
});

test('no message repeats a secret, whatever is wrong with the secret', () => {
  const secrets = { SESSION_SECRET_KEY: 'too-short-a-secret', DATABASE_URL: 'mysql://user:the-password@host/db' };

  const message = complaintOf({ ...secrets, PORT: 'x', MAIN_SECRET_TOKEN: 'the-main-secret' });

  for (const part of ['too-short-a-secret', 'the-password', 'the-main-secret']) expect(message).not.toContain(part);
  expect(message).toContain('SESSION_SECRET_KEY');
  expect(message).toContain('DATABASE_URL');
});

test.each(['{broken', '[]', '5', 'null', '{"PORT":{}}', '{"PORT":null}', '{"PORT":["1"]}'])(
  'authsvcShared=%s is refused',
  (authsvcShared) => {
    expect(complaintOf({ authsvcShared })).toMatch(/^ {2}authsvcShared: expected a JSON object/m);
  },
);

test.each<[string, Texts, string[]]>([
  ['deployed with all that it needs', DEPLOYED, []],
  ['deployed with nothing', { IS_DEPLOYED: 'true' }, ['BASE_URL', 'SESSION_SECRET_KEY']],
  ['deployed over http', { ...DEPLOYED, BASE_URL: 'http://auth.example.com' }, ['BASE_URL']],
  ['deployed with an issuer over http', { ...DEPLOYED, WEBSSO_ISSUER: 'http://sso.example.com' }, ['WEBSSO_ISSUER']],
  ['an issuer over http when not deployed', { WEBSSO_ISSUER: 'http://localhost:1' }, []],
  ['deployed at a subdomain of DOMAIN', { ...DEPLOYED, DOMAIN: 'example.com' }, []],
  ['deployed at DOMAIN itself', { ...DEPLOYED, DOMAIN: 'auth.example.com' }, []],
  ['deployed at a host outside of DOMAIN', { ...DEPLOYED, DOMAIN: 'example.org' }, ['DOMAIN']],
  [
    'deployed at a host that ends like DOMAIN but is no subdomain of it',
    { ...DEPLOYED, DOMAIN: 'h.example.com' },
    ['DOMAIN'],
  ],
  ['a host outside of DOMAIN when not deployed', { BASE_URL: 'http://localhost:1', DOMAIN: 'example.org' }, []],
  ['no limits', { RATE_LIMITS: 'off' }, ['RATE_LIMITS']],
  ['no limits with another env', { RATE_LIMITS: 'off', env: 'production' }, ['RATE_LIMITS']],
  ['no limits with env=dev', { RATE_LIMITS: 'off', env: 'dev' }, []],
  ['other limits', { RATE_LIMITS: 'login=20/60s,social-websso=5/60s' }, []],
  [
    'a limit that does not exist, and another invalid setting',
    { RATE_LIMITS: 'logn=20/60s', PORT: 'x' },
    ['PORT', 'RATE_LIMITS'],
  ],
  ['a limit of a provider that does not exist', { RATE_LIMITS: 'social-forge=5/60s' }, ['RATE_LIMITS']],
  ['a scope without openid', { WEBSSO_SCOPE: 'profile openidx' }, ['WEBSSO_SCOPE']],
  [
    'a secret that repeats a short text, when deployed',
    { ...DEPLOYED, SESSION_SECRET_KEY: 'ab'.repeat(32) },
    ['SESSION_SECRET_KEY'],
  ],
  [
    'two secrets of which one is a placeholder, when deployed',
    { ...DEPLOYED, SESSION_SECRET_KEY: `${SECRET},change-me-to-something-of-32-characters` },
    ['SESSION_SECRET_KEY'],
  ],
  [
    'deployed with everything that is unsafe, in one list',
    {
      IS_DEPLOYED: 'true',
      BASE_URL: 'http://auth.example.com',
      MAIN_SECRET_TOKEN: 'change-me',
      LOGIN_REDIRECT_URL: 'http://portal.example.com/',
      RATE_LIMITS: 'off',
      env: 'dev',
      CODEHOST_AUTHORIZATION_URL: 'http://git.example.com/authorize',
      CODEHOST_TOKEN_URL: 'http://git.example.com/token',
      CODEHOST_USER_URL: 'http://localhost:3001/user',
      WEBSSO_ISSUER: 'http://sso.example.com',
      PROVIDERS: 'forge,corp',
      PROVIDER_FORGE_TYPE: 'oauth2',
      PROVIDER_FORGE_CLIENT_ID: 'x',
      PROVIDER_FORGE_CLIENT_SECRET: 'x',
      PROVIDER_FORGE_AUTHORIZATION_URL: 'https://forge.example.com/authorize',
      PROVIDER_FORGE_TOKEN_URL: 'http://forge.example.com/token',
      PROVIDER_FORGE_USER_URL: 'https://forge.example.com/user',
      PROVIDER_FORGE_ID_FIELD: 'id',
      PROVIDER_CORP_TYPE: 'oidc',
      PROVIDER_CORP_CLIENT_ID: 'x',
      PROVIDER_CORP_CLIENT_SECRET: 'x',
      PROVIDER_CORP_ISSUER: 'http://corp.example.com',
    },
    [
      'BASE_URL',
      'SESSION_SECRET_KEY',
      'MAIN_SECRET_TOKEN',
      'LOGIN_REDIRECT_URL',
      'RATE_LIMITS',
      'env',
      'CODEHOST_AUTHORIZATION_URL',
      'CODEHOST_TOKEN_URL',
      'CODEHOST_USER_URL',
      'WEBSSO_ISSUER',
      'PROVIDER_FORGE_TOKEN_URL',
      'PROVIDER_CORP_ISSUER',
    ],
  ],
  ['deployed with another env', { ...DEPLOYED, env: 'production' }, []],
  [
    'deployed with an https address after the sign-in',
    { ...DEPLOYED, LOGIN_REDIRECT_URL: 'https://portal.example.com/' },
    [],
  ],
  ['a second factor for everyone', { AUTHSVC_TWO_FA_ENABLE: 'true', SECOND_FACTOR: 'everyone' }, []],
  ['a second factor for superadmins while second factors are off', { SECOND_FACTOR: 'superadmin' }, ['SECOND_FACTOR']],
  ['an RP id that is a parent of the host', { BASE_URL: 'http://auth.localhost', PASSKEY_RP_ID: 'localhost' }, []],
  [
    'an RP id of another domain',
    { BASE_URL: 'http://auth.localhost', PASSKEY_RP_ID: 'example.com' },
    ['PASSKEY_RP_ID'],
  ],
  [
    'an RP id that is a subdomain of the host',
    { BASE_URL: 'http://localhost', PASSKEY_RP_ID: 'auth.localhost' },
    ['PASSKEY_RP_ID'],
  ],
  [
    'an RP id for a host that is an IP address',
    { BASE_URL: 'http://10.0.0.1', PASSKEY_RP_ID: '0.0.1' },
    ['PASSKEY_RP_ID'],
  ],
  [
    'http addresses when not deployed',
    { CODEHOST_TOKEN_URL: 'http://localhost:1/', LOGIN_REDIRECT_URL: 'http://localhost:2' },
    [],
  ],
  [
    'a short secret when deployed is reported once',
    { ...DEPLOYED, SESSION_SECRET_KEY: 'short' },
    ['SESSION_SECRET_KEY'],
  ],
])('the message names exactly the settings that are wrong: %s', (_what, env, keys) => {
  const found = [...complaintOf(env).matchAll(/^ {2}(\w+): expected/gm)].map(([, key]) => key);

  expect(found).toEqual(keys);
});

test.each(['CODEHOST', 'WEBSSO'])(
  'the provider %s, enabled without credentials, does not stop the start',
  (provider) => {
    expect(complaintOf({ [`${provider}_LOGIN_ENABLED`]: 'true' })).toBe('');
  },
);

test.each([...Object.keys(settingsTable), 'authsvcShared', 'PROVIDER_FORGE_CLIENT_SECRET'])(
  '%s in quotation marks, as docker --env-file passes them on, is refused, and the message names the key',
  (key) => {
    for (const quoted of [`"portal"`, `'portal'`, '`portal`', ' "portal" ', '""', `"a" and "b"`]) {
      const env = key.startsWith('PROVIDER_') ? { PROVIDERS: 'forge', [key]: quoted } : { [key]: quoted };

      expect(complaintOf(env)).toMatch(
        new RegExp(`^ {2}${key}: expected a value without the quotation marks around it, `, 'm'),
      );
    }
  },
);

test.each([['"portal'], ['portal"'], [`"portal'`], [`it's`], ['"']])(
  '%j does not count as a value in quotation marks',
  (name) => {
    expect(loadSettings({ env: { APP_NAME: name }, folder: NOWHERE }).APP_NAME).toBe(name);
  },
);

test('quotation marks in .env and in the strings of authsvcShared are syntax, not part of the value', () => {
  const folder = folderWith(`APP_NAME="portal"\nauthsvcShared='{"DOMAIN":"example.com"}'`);

  expect(loadSettings({ env: {}, folder })).toMatchObject({ APP_NAME: 'portal', DOMAIN: 'example.com' });
});

test.each<[Texts, string]>([
  [{}, '404'],
  [DEPLOYED, '401'],
  [{ ...DEPLOYED, LOGIN_UNKNOWN_USER_STATUS: '404' }, '404'],
  [{ LOGIN_UNKNOWN_USER_STATUS: '401' }, '401'],
  [{ IS_DEPLOYED: 'f' }, '404'],
])('with %j an unknown user gets the status %s', (env, status) => {
  expect(loadSettings({ env, folder: NOWHERE }).LOGIN_UNKNOWN_USER_STATUS).toBe(status);
});

test.each([
  ['editor, auditor', ['normaluser', 'superadmin', 'editor', 'auditor']],
  ['superadmin,editor,editor', ['normaluser', 'superadmin', 'editor']],
  ['normaluser', ['normaluser', 'superadmin']],
  ['Team.Lead', ['normaluser', 'superadmin', 'Team.Lead']],
])('ROLES=%s gives the roles %j', (ROLES, roles) => {
  expect(loadSettings({ env: { ROLES }, folder: NOWHERE }).ROLES).toEqual(roles);
});

test.each(['Superadmin', 'editor,Editor', 'a b', 'editor,', '1st', 'é', 'x'.repeat(65)])(
  'ROLES=%s is refused',
  (ROLES) => {
    expect(complaintOf({ ROLES })).toContain('ROLES: expected names separated by commas');
  },
);
