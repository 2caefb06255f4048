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
A setting comes from the environment, else from a file \`.env\` in the working directory, else from \`authsvcShared\`.
The first place with a non-empty text counts. \`authsvc serve --host\` and \`--port\` take precedence over all of them.
In \`.env\` a \`#\` begins a comment, so put a value that contains one in quotes: \`BRAND_ACCENT='#0057b8'\`.

\`authsvcShared\` is one more variable, of the environment or of \`.env\`: a JSON object whose entries are settings, so that
several applications can be given one value. Example: \`authsvcShared={"DOMAIN":"example.com","IS_DEPLOYED":"true"}\`.

The service does not start with an invalid value. One message lists every such key with what was expected and an example;
the value itself is not repeated. Booleans are \`true\` or \`false\` (\`f\` counts as \`false\`).

Values marked *secret* never appear on a page, in a log line or in a message.`;

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
Each name in \`PROVIDERS\` has these settings; NAME is the name in upper case, with \`_\` for \`-\`. The provider \`git-forge\` has
\`PROVIDER_GIT_FORGE_TYPE\` and so on. A part that is missing, or a \`PROVIDER_…\` key of a name that is not in \`PROVIDERS\`, stops the
start. Register \`BASE_URL/authsvc/api/NAME/login/callback\` (here in lower case, as in \`PROVIDERS\`) at the provider. The
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
