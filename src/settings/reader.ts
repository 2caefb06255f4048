import { inDotenv, readDotenv } from './dotenv.ts';
import type { Row } from './row.ts';
import { workingFolder } from './working-folder.ts';

type Texts = Record<string, string | undefined>;

export interface Sources {
  /** The values of the command line, which take precedence. */
  overrides?: Texts;
  env?: Texts;
  /** The folder that may contain `.env`. */
  folder?: string;
}

/** Reads one setting after another and collects what is wrong with them. */
export interface Reader {
  /** The text with precedence; undefined if it is missing or empty in every place. */
  textOf(key: string): string | undefined;
  /** Every key that has a text in any place. */
  givenKeys(): string[];
  /** The value of a setting. For an invalid text it records a complaint and returns the default. */
  read<T>(key: string, row: Row<T>): T | undefined;
  /** Records what is wrong with a key, with a valid example. The first complaint about a key counts. */
  complain(key: string, expected: string, example: string): void;
  /** What was wrong, by key. */
  complaints: ReadonlyMap<string, string>;
}

const QUOTES = 'quotes around the value in .env, where a # without them begins a comment';
const NO_QUOTES =
  'a value without the quotation marks around it, which docker --env-file and systemd-run do not take away';
const SHARED_EXAMPLE = 'authsvcShared={"DOMAIN":"example.com"}';

/** A setting as a line of `.env`. */
export const assignment = (key: string, value: string): string => `${key}=${inDotenv(value)}`;

/** The entries of authsvcShared; undefined if it is not a JSON object of simple values. */
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

/** Whether a text is in quotation marks. Some tools keep the quotes of a settings file as part of the value. */
const isQuoted = (text: string): boolean => /^(["'`]).*\1$/s.test(text) && text.length > 1;

/** Settings that other programs also read in lower case. In each place, lower case takes precedence. */
const EITHER_CASE = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'];

const spellingsOf = (key: string): string[] => (EITHER_CASE.includes(key) ? [key.toLowerCase(), key] : [key]);

/** The first text that is not blank, trimmed. */
const firstOf = (...texts: (string | undefined)[]): string | undefined =>
  texts.map((text) => text?.trim()).find(Boolean);

/**
 * Opens the places that settings come from: the command line, the environment, `.env`, authsvcShared.
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
  else if (!shared) complain('authsvcShared', 'a JSON object whose entries are strings', SHARED_EXAMPLE);
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
