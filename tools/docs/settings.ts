import { inDotenv } from '../../src/settings/dotenv.ts';
import { type ProviderField, providerFields } from '../../src/settings/provider-fields.ts';
import type { Row } from '../../src/settings/row.ts';
import { type SettingKey, settingsTable } from '../../src/settings/table.ts';
import { code, page, table } from './markdown.ts';

/** The headings, each under the key of the first setting below it. */
const headings: Partial<Record<SettingKey, string>> = {
  HOST: 'Address',
  APP_NAME: 'Application',
  LANGUAGE: 'Language and look of the pages',
  DOMAIN: 'Domain',
  SESSION_SECRET_KEY: 'Secrets',
  DATABASE_URL: 'Database',
  LOGIN_REDIRECT_URL: 'Signing in and sessions',
  MAX_TOKENS_PER_USER: 'API tokens',
  TRUST_PROXY: 'Proxies and limits',
  ROLES: 'Roles',
  CODEHOST_LOGIN_ENABLED: 'Sign-in through a code host (OAuth 2.0)',
  WEBSSO_LOGIN_ENABLED: 'Sign-in through an identity provider (OpenID Connect)',
  PROVIDERS: 'Sign-in through further providers',
  HTTPS_PROXY: 'Outgoing requests',
  UPDATE_CHECK: 'Operation and development',
};

const introduction = `
The service looks for each setting first in the environment, then in the file \`.env\` in its working directory, then in \`authsvcShared\`.
The first value that is not empty counts. The options \`--host\`, \`--port\` and \`--workers\` of \`authsvc serve\` take precedence over all three.
In \`.env\` a \`#\` begins a comment, so put a value that contains one in quotes: \`BRAND_ACCENT='#0057b8'\`.

\`authsvcShared\` is a variable in the environment or in \`.env\`. It holds a JSON object whose entries are settings. With it,
several applications can share one value. Example: \`authsvcShared={"DOMAIN":"example.com","IS_DEPLOYED":"true"}\`.

The service does not start with an invalid value. Its message lists every setting that is invalid, what was expected, and an example;
it does not repeat the value of a secret. Booleans are \`true\` or \`false\` (\`f\` counts as \`false\`).

A value marked *secret* is a secret or a URL that can contain credentials. Secrets, and the credentials in URLs, never appear on a page,
in a log line or in a message.`;

const isKey = (key: string): key is SettingKey => key in settingsTable;

function rowOf(key: string, { default: fixed, defaultWords, help, secret, example }: Row<unknown>): string[] {
  return [
    code(key),
    defaultWords ?? (fixed === undefined ? 'none' : code(fixed)),
    secret ? `${help} *Secret.*` : help,
    example.includes(' ') ? example : code(inDotenv(example)),
  ];
}

const columns = ['Key', 'Default', 'Meaning', 'Example'];

const providerIntroduction = `
Each provider in \`PROVIDERS\` has the settings below. In their keys, NAME is its name in upper case, with \`_\` for \`-\`. The provider \`git-forge\` has
\`PROVIDER_GIT_FORGE_TYPE\` and so on. The service does not start if a required setting is missing, or if a \`PROVIDER_…\` key belongs to a name
that is not in \`PROVIDERS\`. Register the callback \`BASE_URL/authsvc/api/NAME/login/callback\` at the provider, with the name as in \`PROVIDERS\`. The
[guide to social sign-in](social-sign-in.md) has settings for well-known providers.`;

/** Creates the table with the settings of a provider in PROVIDERS. */
function providerLines(): string[] {
  const isField = (field: string): field is ProviderField => field in providerFields;
  const rows = Object.keys(providerFields)
    .filter(isField)
    .map((field) => rowOf(`PROVIDER_NAME_${field}`, providerFields[field]));
  return [providerIntroduction.trim(), '', ...table(columns, rows)];
}

/** Creates docs/settings.md: every setting with its default, its meaning and an example. */
export function settingsPage(): string {
  const groups: { title: string; keys: SettingKey[] }[] = [];
  for (const key of Object.keys(settingsTable).filter(isKey)) {
    const title = headings[key];
    if (title) groups.push({ title, keys: [] });
    groups.at(-1)?.keys.push(key);
  }
  const sections = groups.flatMap(({ title, keys }) => [
    `## ${title}`,
    '',
    ...table(
      columns,
      keys.map((key) => rowOf(key, settingsTable[key])),
    ),
    ...(keys.includes('PROVIDERS') ? providerLines() : []),
  ]);
  return page('Settings', 'src/settings/table.ts', [introduction.trim(), '', ...sections]);
}
