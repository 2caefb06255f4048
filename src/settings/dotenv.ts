import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { describeFileFault } from '../lib/file-fault.ts';
import { SettingsError } from './settings-error.ts';

interface Dotenv {
  texts: Record<string, string | undefined>;
  /** The keys whose values are cut off at a #. */
  cutKeys: ReadonlySet<string>;
}

/**
 * Finds the keys whose values lose the text from a # on, because the value has no quotes or no closing quote. A # after
 * a space is a comment that the operator intends, so it does not count. If a key is on several lines, the last line
 * counts.
 */
function findCutKeys(content: string, texts: Dotenv['texts']): Set<string> {
  const cut = new Set<string>();
  for (const line of content.split(/\r?\n/)) {
    const [, key, value] = /^\s*(?:export\s+)?([\w.-]+)\s*[=:](.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    // If the # is inside quotes, the parsed value is longer than the text before the #, so nothing was cut off.
    const isCut = /^([^#]*[^#\s])?#/.test(value) && texts[key] === value.slice(0, value.indexOf('#')).trim();
    if (isCut) cut.add(key);
    else cut.delete(key);
  }
  return cut;
}

/**
 * Reads the file `.env` in a folder. Returns no texts if there is no such file.
 *
 * @throws SettingsError if the file exists but cannot be read
 */
export function readDotenv(folder: string): Dotenv {
  const file = join(folder, '.env');
  try {
    const content = readFileSync(file, 'utf8');
    const texts = parse(content);
    return { texts, cutKeys: findCutKeys(content, texts) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return { texts: {}, cutKeys: new Set() };
    throw new SettingsError(`The settings in ${file} cannot be read: ${describeFileFault(error, file)}.`);
  }
}

/** Quotes a value, if necessary, so that it can be written into `.env`. */
export const inDotenv = (value: string): string => (value.includes('#') ? `'${value}'` : value);
