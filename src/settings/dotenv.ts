import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'dotenv';
import { describeFileFault } from '../lib/file-fault.ts';
import { SettingsError } from './settings-error.ts';

interface Dotenv {
  texts: Record<string, string | undefined>;
  /** The keys of values that a # cuts. */
  cutKeys: ReadonlySet<string>;
}

/**
 * The keys whose values lose the text after a #, because they have no quotes or no closing quote. A # after a space
 * begins a comment, as intended. Of several lines for one key, the last one counts.
 */
function findCutKeys(content: string, texts: Dotenv['texts']): Set<string> {
  const cut = new Set<string>();
  for (const line of content.split(/\r?\n/)) {
    const [, key, value] = /^\s*(?:export\s+)?([\w.-]+)\s*[=:](.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) continue;
    // In quotes, or within the quotes of another value, the value is longer than the text before the #.
    const isCut = /^([^#]*[^#\s])?#/.test(value) && texts[key] === value.slice(0, value.indexOf('#')).trim();
    if (isCut) cut.add(key);
    else cut.delete(key);
  }
  return cut;
}

/** The content of the file `.env` in a folder. Throws SettingsError if the file exists but can't be read. */
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

/** A value as it can be written into `.env`. */
export const inDotenv = (value: string): string => (value.includes('#') ? `'${value}'` : value);
