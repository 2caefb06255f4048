import { inDotenv, readDotenv } from './dotenv.ts';
import { isHardToGuess, MIN_SECRET } from './parse.ts';
import { SettingsError } from './settings-error.ts';
import { type SettingKey, type Settings, settingsTable } from './table.ts';

type Texts = Record<string, string | undefined>;

function describe(key: string, expected: string, example: string): string {
  return `  ${key}: expected ${expected}. Example: ${key}=${inDotenv(example)}`;
}

const QUOTES = 'quotes around the value in .env, where a # without them begins a comment';
const SHARED_EXAMPLE = '{"DOMAIN":"example.com"}';

/** The entries of authsvcShared, or the complaint about it. */
function readShared(text: string | undefined): { texts: Texts; complaint?: string } {
  if (!text) return { texts: {} };
  const complaint = describe('authsvcShared', 'a JSON object whose entries are strings', SHARED_EXAMPLE);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { texts: {}, complaint };
    const entries = Object.entries(value);
    if (!entries.every(([, entry]) => ['string', 'number', 'boolean'].includes(typeof entry)))
      return { texts: {}, complaint };
    return { texts: Object.fromEntries(entries.map(([key, entry]) => [key, String(entry)])) };
  } catch {
    return { texts: {}, complaint };
  }
}

/** What is wrong with values that are each fine alone. */
function crossChecks(settings: Settings, given: (key: SettingKey) => boolean): Partial<Record<SettingKey, string>> {
  const found: Partial<Record<SettingKey, string>> = {};
  const host = settings.BASE_URL === undefined ? undefined : new URL(settings.BASE_URL).hostname;
  if (settings.IS_DEPLOYED) {
    if (!settings.BASE_URL?.startsWith('https:')) found.BASE_URL = 'an https address, since IS_DEPLOYED is true';
    if (!given('SESSION_SECRET_KEY')) found.SESSION_SECRET_KEY = 'a secret of your own, since IS_DEPLOYED is true';
    else if (!settings.SESSION_SECRET_KEY?.every((secret) => isHardToGuess(secret, MIN_SECRET)))
      found.SESSION_SECRET_KEY = 'random text of at least 32 characters, since IS_DEPLOYED is true';
    if (settings.MAIN_SECRET_TOKEN !== undefined && !isHardToGuess(settings.MAIN_SECRET_TOKEN, 16))
      found.MAIN_SECRET_TOKEN = 'random text of at least 16 characters, since IS_DEPLOYED is true';
    if (!settings.WEBSSO_ISSUER.startsWith('https:'))
      found.WEBSSO_ISSUER = 'an https address, since IS_DEPLOYED is true';
    if (settings.DOMAIN && host && host !== settings.DOMAIN && !host.endsWith(`.${settings.DOMAIN}`)) {
      found.DOMAIN = 'the domain of BASE_URL or one above it';
    }
  }
  if (settings.RATE_LIMITS === 'off' && settings.env !== 'dev') found.RATE_LIMITS = 'on, unless env=dev';
  if (!settings.WEBSSO_SCOPE.split(' ').includes('openid')) found.WEBSSO_SCOPE = 'a list that holds openid';
  return found;
}

const keys = Object.keys(settingsTable).filter((key): key is SettingKey => key in settingsTable);

/** Parses one text with its row; the type of the row goes with it. */
function parseRow(key: SettingKey, text: string | undefined): unknown {
  return text === undefined ? undefined : settingsTable[key].parse(text);
}

interface Sources {
  /** What the command line said; wins over all. */
  overrides?: Texts;
  env?: Texts;
  /** Where `.env` may lie. */
  folder?: string;
}

/**
 * Reads the settings from the environment, then `.env`, then authsvcShared for the keys that both leave out or empty.
 *
 * Throws  SettingsError, its message listing every bad key with what was expected and an example; secrets are
 *         never repeated in it.
 */
export function loadSettings({ overrides = {}, env = process.env, folder = process.cwd() }: Sources = {}): Settings {
  const { texts: dotenv, cutKeys } = readDotenv(folder);
  // What holds nothing but blanks counts as empty.
  const firstOf = (...texts: (string | undefined)[]) => texts.map((text) => text?.trim()).find(Boolean);
  const shared = readShared(firstOf(env.authsvcShared, dotenv.authsvcShared));
  const isCut = (key: string) => cutKeys.has(key) && firstOf(overrides[key], env[key]) === undefined;
  const textOf = (key: SettingKey) => firstOf(overrides[key], env[key], dotenv[key], shared.texts[key]);
  const complaints = new Map<string, string>();
  if (isCut('authsvcShared')) complaints.set('authsvcShared', describe('authsvcShared', QUOTES, SHARED_EXAMPLE));
  else if (shared.complaint) complaints.set('authsvcShared', shared.complaint);
  const values: Record<string, unknown> = {};
  for (const key of keys) {
    const { example } = settingsTable[key];
    const fallback = 'default' in settingsTable[key] ? settingsTable[key].default : undefined;
    try {
      if (isCut(key)) throw new Error(QUOTES);
      values[key] = parseRow(key, textOf(key) ?? fallback);
    } catch (error) {
      complaints.set(key, describe(key, error instanceof Error ? error.message : 'another value', example));
      values[key] = parseRow(key, fallback);
    }
  }
  if (!isComplete(values)) throw new Error('a setting has no row');
  for (const [key, expected] of Object.entries(crossChecks(values, (key) => textOf(key) !== undefined))) {
    const known = keys.find((name) => name === key);
    const isNew = known && !complaints.has(known);
    if (isNew) complaints.set(known, describe(known, expected, settingsTable[known].example));
  }
  if (complaints.size === 0) return values;
  const list = [...complaints.values()].join('\n');
  throw new SettingsError(`These settings cannot be used:\n${list}`, [...complaints.keys()]);
}

/** Every key was parsed by its own row, so that the record is the settings. */
function isComplete(values: Record<string, unknown>): values is Settings {
  return keys.every((key) => key in values);
}
