import { inDotenv, readDotenv } from './dotenv.ts';
import type { Row } from './row.ts';
import { workingFolder } from './working-folder.ts';

type Texts = Record<string, string | undefined>;

export interface Sources {
  /** Values from the command line. They take precedence over all other sources. */
  overrides?: Texts;
  env?: Texts;
  /** The folder in which `.env` is looked for. */
  folder?: string;
}

/** Reads settings one by one and collects what is wrong with them. */
export interface Reader {
  /**
   * Returns the text of a key from the first source that has it. Undefined if the key is missing or empty in every
   * source.
   */
  textOf(key: string): string | undefined;
  /** Returns every key that has a text in any source. */
  givenKeys(): string[];
  /** Returns the value of a setting. If its text is invalid, records a complaint and returns the default. */
  read<T>(key: string, row: Row<T>): T | undefined;
  /** Records what was expected for a key, with a valid example. Only the first complaint about a key is kept. */
  complain(key: string, expected: string, example: string): void;
  /** The recorded complaints, by key. */
  complaints: ReadonlyMap<string, string>;
}

const QUOTES = 'quotes around the value in .env, where a # without them begins a comment';
const NO_QUOTES =
  'a value without the quotation marks around it, because docker --env-file and systemd-run do not remove them';
const SHARED_EXAMPLE = 'authsvcShared={"DOMAIN":"example.com"}';

/** Formats a setting as a line of `.env`. */
export const assignment = (key: string, value: string): string => `${key}=${inDotenv(value)}`;

/** Parses the entries of authsvcShared. Returns undefined if it is not a JSON object of simple values. */
function parseShared(text: string | undefined): Texts | undefined {
  if (!text) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value);
    const isSimple = entries.every(([, entry]) => ['string', 'number', 'boolean'].includes(typeof entry));
    return isSimple ? Object.fromEntries(entries.map(([key, entry]) => [key, String(entry)])) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a text is in quotation marks. Some tools keep the quotes of a settings file as part of the value. */
const isQuoted = (text: string): boolean => /^(["'`]).*\1$/s.test(text) && text.length > 1;

/**
 * Settings that other programs also read under their lower-case names. In each source, the lower-case name takes
 * precedence.
 */
const EITHER_CASE = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];

const spellingsOf = (key: string): string[] => (EITHER_CASE.includes(key) ? [key.toLowerCase(), key] : [key]);

/** Returns the first text that is not blank, trimmed. */
const firstOf = (...texts: (string | undefined)[]): string | undefined =>
  texts.map((text) => text?.trim()).find(Boolean);

/**
 * Opens the sources of settings in this order of precedence: the command line, the environment, `.env`, authsvcShared.
 *
 * @throws SettingsError if `.env` exists but cannot be read
 */
export function createReader({ overrides = {}, env = process.env, folder = workingFolder() }: Sources): Reader {
  const { texts: dotenv, cutKeys } = readDotenv(folder);
  const complaints = new Map<string, string>();
  const complain = (key: string, expected: string, example: string): void => {
    if (!complaints.has(key)) complaints.set(key, `  ${key}: expected ${expected}. Example: ${example}`);
  };
  const textIn = (texts: Texts, key: string) => firstOf(...spellingsOf(key).map((spelling) => texts[spelling]));
  const isCut = (key: string) =>
    spellingsOf(key).some((spelling) => cutKeys.has(spelling)) &&
    firstOf(textIn(overrides, key), textIn(env, key)) === undefined;
  const sharedText = firstOf(env.authsvcShared, dotenv.authsvcShared);
  const shared = parseShared(sharedText);
  if (isCut('authsvcShared')) complain('authsvcShared', QUOTES, SHARED_EXAMPLE);
  else if (sharedText && isQuoted(sharedText)) complain('authsvcShared', NO_QUOTES, SHARED_EXAMPLE);
  else if (!shared)
    complain('authsvcShared', 'a JSON object whose entries are strings, numbers or booleans', SHARED_EXAMPLE);
  const places = [overrides, env, dotenv, shared ?? {}];
  const textOf = (key: string) => firstOf(...places.map((texts) => textIn(texts, key)));
  return {
    textOf,
    complain,
    complaints,
    givenKeys: () => [...new Set(places.flatMap(Object.keys))].filter((key) => textOf(key) !== undefined),
    read: (key, { parse, default: fallback, example }) => {
      try {
        if (isCut(key)) throw new Error(QUOTES);
        const given = textOf(key);
        if (given !== undefined && isQuoted(given)) throw new Error(NO_QUOTES);
        const text = given ?? fallback;
        return text === undefined ? undefined : parse(text);
      } catch (error) {
        complain(key, error instanceof Error ? error.message : 'another value', assignment(key, example));
        return fallback === undefined ? undefined : parse(fallback);
      }
    },
  };
}
