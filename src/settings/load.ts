import { readProviders } from './identity-providers.ts';
import { RATE_LIMITS_FORM, unknownSocialLimits } from './limits.ts';
import { isHardToGuess, MIN_SECRET } from './parse.ts';
import { assignment, createReader, type Reader, type Sources } from './reader.ts';
import { SettingsError } from './settings-error.ts';
import { type SettingKey, type Settings, settingsTable } from './table.ts';

type TableSettings = Omit<Settings, 'identityProviders'>;

/** What is wrong with values that are each fine alone. */
function crossChecks(
  settings: TableSettings,
  given: (key: SettingKey) => boolean,
): Partial<Record<SettingKey, string>> {
  const found: Partial<Record<SettingKey, string>> = {};
  const host = settings.BASE_URL === undefined ? undefined : new URL(settings.BASE_URL).hostname;
  if (settings.IS_DEPLOYED) {
    if (!settings.BASE_URL?.startsWith('https:')) found.BASE_URL = 'an https address, since IS_DEPLOYED is true';
    if (!given('SESSION_SECRET_KEY')) found.SESSION_SECRET_KEY = 'a secret of your own, since IS_DEPLOYED is true';
    else if (!settings.SESSION_SECRET_KEY?.every((secret) => isHardToGuess(secret, MIN_SECRET)))
      found.SESSION_SECRET_KEY = 'random text of at least 32 characters, since IS_DEPLOYED is true';
    if (settings.MAIN_SECRET_TOKEN !== undefined && !isHardToGuess(settings.MAIN_SECRET_TOKEN, 16))
      found.MAIN_SECRET_TOKEN = 'random text of at least 16 characters, since IS_DEPLOYED is true';
    if (settings.DOMAIN && host && host !== settings.DOMAIN && !host.endsWith(`.${settings.DOMAIN}`)) {
      found.DOMAIN = 'the domain of BASE_URL or one above it';
    }
  }
  if (settings.RATE_LIMITS === 'off' && settings.env !== 'dev')
    found.RATE_LIMITS = 'on or a list of limits, unless env=dev';
  return found;
}

const keys = Object.keys(settingsTable).filter((key): key is SettingKey => key in settingsTable);

/** Every key was read by its own row, so the record is the settings. */
function isComplete(values: Record<string, unknown>): values is TableSettings {
  return keys.every((key) => key in values);
}

function readTable(reader: Reader): TableSettings {
  const values = Object.fromEntries(keys.map((key) => [key, reader.read<unknown>(key, settingsTable[key])]));
  if (!isComplete(values)) throw new Error('a setting has no row');
  for (const [key, expected] of Object.entries(crossChecks(values, (key) => reader.textOf(key) !== undefined))) {
    const known = keys.find((name) => name === key);
    if (known) reader.complain(known, expected, assignment(known, settingsTable[known].example));
  }
  return values;
}

/**
 * Reads the settings from the environment, then `.env`, then authsvcShared for the keys that both leave out or empty.
 *
 * @throws SettingsError that lists every invalid key with what was expected and an example; a secret value is never
 *   repeated in it
 */
export function loadSettings(sources: Sources = {}): Settings {
  const reader = createReader(sources);
  const settings = readTable(reader);
  const identityProviders = readProviders(settings, reader);
  const names = identityProviders.map(({ name }) => name);
  if (unknownSocialLimits(settings.RATE_LIMITS, names).length > 0)
    reader.complain('RATE_LIMITS', RATE_LIMITS_FORM, assignment('RATE_LIMITS', settingsTable.RATE_LIMITS.example));
  const { complaints } = reader;
  if (complaints.size === 0) return { ...settings, identityProviders };
  const list = [...complaints.values()].join('\n');
  throw new SettingsError(`These settings cannot be used:\n${list}`, [...complaints.keys()]);
}
