import { fieldsOfType, type ProviderField, type ProviderType, providerFields } from './provider-fields.ts';
import { splitNames } from './provider-names.ts';
import { assignment, type Reader } from './reader.ts';
import type { Row } from './row.ts';
import type { TableSettings } from './table.ts';

interface AnyProvider {
  /** The provider's name in URLs, links to accounts, and sessions. */
  name: string;
  /** Always true for the providers that PROVIDERS names. */
  isEnabled: boolean;
  label: string;
  logo: string | undefined;
  clientId: string | undefined;
  clientSecret: string | undefined;
  /** If undefined, the request contains no scope, and the provider chooses the scope. */
  scope: string | undefined;
  /** The key of the setting for each field, for messages. */
  keys: Readonly<Record<ProviderField, string>>;
}

/** A provider that uses OAuth 2.0. A separate URL returns the account that a token belongs to. */
export interface OAuth2Settings extends AnyProvider {
  type: 'oauth2';
  authorizationUrl: string;
  tokenUrl: string;
  userUrl: string;
  idField: string;
}

/** A provider that uses OpenID Connect with discovery. */
export interface OidcSettings extends AnyProvider {
  type: 'oidc';
  issuer: string;
}

/** The settings of one provider of social sign-in. */
export type ProviderSettings = OAuth2Settings | OidcSettings;

/** Returns whether a provider is enabled and has its client id and client secret. */
export const isUsable = ({ isEnabled, clientId, clientSecret }: ProviderSettings): boolean =>
  isEnabled && clientId !== undefined && clientSecret !== undefined;

/**
 * Returns the key of each setting of a provider. The keys of the client id and client secret can have a different
 * prefix.
 */
const keysOf = (prefix: string, clientPrefix = prefix): AnyProvider['keys'] => ({
  TYPE: `${prefix}TYPE`,
  LABEL: `${prefix}LABEL`,
  LOGO: `${prefix}LOGO`,
  CLIENT_ID: `${clientPrefix}CLIENT_ID`,
  CLIENT_SECRET: `${clientPrefix}CLIENT_SECRET`,
  SCOPE: `${prefix}SCOPE`,
  ISSUER: `${prefix}ISSUER`,
  AUTHORIZATION_URL: `${prefix}AUTHORIZATION_URL`,
  TOKEN_URL: `${prefix}TOKEN_URL`,
  USER_URL: `${prefix}USER_URL`,
  ID_FIELD: `${prefix}ID_FIELD`,
});

/** Returns the two built-in providers, which have their own rows in the settings table. */
const builtInProviders = (settings: TableSettings): ProviderSettings[] => [
  {
    name: 'codehost',
    type: 'oauth2',
    isEnabled: settings.CODEHOST_LOGIN_ENABLED,
    label: settings.CODEHOST_LABEL,
    logo: settings.CODEHOST_LOGO,
    clientId: settings.CODEHOST_APP_CLIENT_ID,
    clientSecret: settings.CODEHOST_APP_CLIENT_SECRET,
    scope: settings.CODEHOST_SCOPE,
    authorizationUrl: settings.CODEHOST_AUTHORIZATION_URL,
    tokenUrl: settings.CODEHOST_TOKEN_URL,
    userUrl: settings.CODEHOST_USER_URL,
    idField: settings.CODEHOST_ID_FIELD,
    keys: keysOf('CODEHOST_', 'CODEHOST_APP_'),
  },
  {
    name: 'websso',
    type: 'oidc',
    isEnabled: settings.WEBSSO_LOGIN_ENABLED,
    label: settings.WEBSSO_LABEL,
    logo: settings.WEBSSO_LOGO,
    clientId: settings.WEBSSO_CLIENT_ID,
    clientSecret: settings.WEBSSO_CLIENT_SECRET,
    scope: settings.WEBSSO_SCOPE,
    issuer: settings.WEBSSO_ISSUER,
    keys: keysOf('WEBSSO_'),
  },
];

const PREFIX = 'PROVIDER_';
const fields = Object.keys(providerFields).filter((field): field is ProviderField => field in providerFields);

const namedKeys = (name: string): AnyProvider['keys'] => keysOf(`${PREFIX}${name.toUpperCase().replaceAll('-', '_')}_`);

const labelOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');

const otherType: Record<ProviderType, ProviderType> = { oauth2: 'oidc', oidc: 'oauth2' };

/** Records a complaint for each given setting that only the other type of provider has. */
function complainOfOtherType(keys: AnyProvider['keys'], type: ProviderType, reader: Reader): void {
  const other = otherType[type];
  for (const field of fieldsOfType[other]) {
    if (reader.textOf(keys[field]) === undefined) continue;
    reader.complain(keys[field], `no value, since ${keys.TYPE} is ${type}`, assignment(keys.TYPE, other));
  }
}

/**
 * Reads the settings of one provider that PROVIDERS names. If a required setting is missing, records a complaint and
 * returns undefined.
 */
function readProvider(name: string, reader: Reader): ProviderSettings | undefined {
  const keys = namedKeys(name);
  for (const field of fields) reader.read<unknown>(keys[field], providerFields[field]);
  const read = <T>(field: ProviderField, row: Row<T>) => reader.read(keys[field], row);
  const need = <T>(field: ProviderField, row: Row<T>): T | undefined => {
    const value = read(field, row);
    if (value === undefined)
      reader.complain(keys[field], `a value, since PROVIDERS names ${name}`, assignment(keys[field], row.example));
    return value;
  };
  const common = {
    name,
    isEnabled: true,
    label: read('LABEL', providerFields.LABEL) ?? labelOf(name),
    logo: read('LOGO', providerFields.LOGO),
    clientId: need('CLIENT_ID', providerFields.CLIENT_ID),
    clientSecret: need('CLIENT_SECRET', providerFields.CLIENT_SECRET),
    scope: read('SCOPE', providerFields.SCOPE),
    keys,
  };
  const type = need('TYPE', providerFields.TYPE);
  if (type) complainOfOtherType(keys, type, reader);
  if (type === 'oidc') {
    const issuer = need('ISSUER', providerFields.ISSUER);
    return issuer === undefined
      ? undefined
      : { ...common, type, scope: common.scope ?? 'openid profile email', issuer };
  }
  if (type !== 'oauth2') return undefined;
  const authorizationUrl = need('AUTHORIZATION_URL', providerFields.AUTHORIZATION_URL);
  const tokenUrl = need('TOKEN_URL', providerFields.TOKEN_URL);
  const userUrl = need('USER_URL', providerFields.USER_URL);
  const idField = need('ID_FIELD', providerFields.ID_FIELD);
  if (!authorizationUrl || !tokenUrl || !userUrl || !idField) return undefined;
  return { ...common, type, authorizationUrl, tokenUrl, userUrl, idField };
}

/**
 * Records a complaint for each given key of a provider that is not in PROVIDERS or of a field that does not exist. Such
 * a key is probably misspelled.
 */
function complainOfUnknownKeys(names: readonly string[], reader: Reader): void {
  const known = new Set(names.flatMap((name) => Object.values(namedKeys(name))));
  for (const key of reader.givenKeys()) {
    if (!key.startsWith(PREFIX) || known.has(key)) continue;
    const expected = `${PREFIX}NAME_FIELD with a NAME in PROVIDERS and a FIELD of ${fields.join(', ')}`;
    reader.complain(key, expected, 'PROVIDERS=forge and PROVIDER_FORGE_TYPE=oauth2');
  }
}

/** Returns the configured URLs of a provider to which browsers or this service send requests. */
const addressesOf = (provider: ProviderSettings): [ProviderField, string][] =>
  provider.type === 'oidc'
    ? [['ISSUER', provider.issuer]]
    : [
        ['AUTHORIZATION_URL', provider.authorizationUrl],
        ['TOKEN_URL', provider.tokenUrl],
        ['USER_URL', provider.userUrl],
      ];

/** Records complaints about settings of one provider that are each valid alone but not together. */
function checkTogether({ IS_DEPLOYED }: TableSettings, provider: ProviderSettings, reader: Reader): void {
  const { keys, scope = '' } = provider;
  const complain = (field: ProviderField, expected: string) =>
    reader.complain(keys[field], expected, assignment(keys[field], providerFields[field].example));
  const plain = addressesOf(provider).filter(([, address]) => !address.startsWith('https:'));
  if (IS_DEPLOYED) for (const [field] of plain) complain(field, 'an https address, since IS_DEPLOYED is true');
  if (provider.type === 'oidc' && !scope.split(' ').includes('openid'))
    complain('SCOPE', 'a list that contains openid');
}

/**
 * Reads every provider of social sign-in: the built-in ones from the table, the others by their names in PROVIDERS.
 *
 * @returns the providers in the order of their buttons; a provider with a complaint may be missing
 */
export function readProviders(settings: TableSettings, reader: Reader): ProviderSettings[] {
  // Invalid names already have a complaint. If such a name can be part of a key, its settings are read nevertheless, so
  // that one message reports all faults.
  const names = [...new Set(splitNames(reader.textOf('PROVIDERS') ?? ''))].filter((name) => /^[\w-]+$/.test(name));
  complainOfUnknownKeys(names, reader);
  const named = names.map((name) => readProvider(name, reader)).filter((provider) => provider !== undefined);
  const providers = [...builtInProviders(settings), ...named];
  for (const provider of providers) checkTogether(settings, provider, reader);
  return providers;
}
