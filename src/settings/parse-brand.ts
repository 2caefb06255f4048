import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type Colour, contrast, parseColour } from '../lib/colour.ts';
import { describeFileFault } from '../lib/file-fault.ts';
import { cleanText } from '../lib/plain-text.ts';
import type { Parse } from './parse.ts';

const MAX_LOGO_BYTES = 256 * 1024;

const THERE = 'a file that exists and that this user may read';

/**
 * Least contrast of the accent colour with white. The pages would have to darken a paler colour so much that people
 * could not recognize it.
 */
const MIN_ON_WHITE = 1.5;

/** Creates the parser of a name for people. The name has no invisible characters, and at least one letter or digit. */
export const parseName =
  (maximum: number): Parse<string> =>
  (text) => {
    const name = cleanText(text);
    if (name.length > maximum || !/[\p{L}\p{N}]/u.test(name))
      throw new Error(`at most ${maximum} characters, with at least one letter or digit`);
    return name;
  };

/** Parses a CSS colour that is distinguishable from white. */
export const parseAccent: Parse<Colour> = (text) => {
  const colour = parseColour(text);
  if (colour === undefined) throw new Error('a colour such as #17694c, without transparency');
  if (contrast(colour, '#ffffff') < MIN_ON_WHITE)
    throw new Error(`a colour that is distinguishable from white (a contrast of at least ${MIN_ON_WHITE})`);
  return colour;
};

/** For each file extension, a function that checks whether the content begins as that kind of picture does. */
const beginnings: Record<string, (content: Buffer) => boolean> = {
  '.svg': (content) =>
    /^\uFEFF?\s*<(\?xml\b|!--|!DOCTYPE\b|svg\b)/i.test(text(content)) && /<svg[\s/>]/i.test(text(content)),
  '.png': (content) => content.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  '.webp': (content) => /^RIFF.{4}WEBP/s.test(content.subarray(0, 12).toString('latin1')),
};

const text = (content: Buffer): string => content.toString('utf8');

/**
 * Calls a function of node:fs. If it fails, throws an Error that says what is expected and what is wrong with the file.
 */
function use<Result>(path: string, expected: string, work: (path: string) => Result): Result {
  try {
    return work(path);
  } catch (error) {
    throw new Error(`${expected}: ${describeFileFault(error, path)}`);
  }
}

/**
 * Reads a picture. It refuses pipes and devices, because reading them might never end, and files that are too large.
 */
function read(path: string): Buffer {
  const facts = use(path, THERE, (file) => statSync(file));
  if (!facts.isFile()) throw new Error(THERE);
  if (facts.size > MAX_LOGO_BYTES) throw new Error('a picture of at most 256 KiB');
  return use(path, THERE, (file) => readFileSync(file));
}

/** Returns the absolute path of a picture. Refuses a picture whose content does not match its extension. */
export const parseLogo: Parse<string> = (given) => {
  const path = resolve(given);
  const begins = beginnings[extname(path).toLowerCase()];
  if (!begins) throw new Error('a file whose name ends in .svg, .png or .webp');
  const content = read(path);
  if (!begins(content)) throw new Error('a picture whose content matches its file name');
  return path;
};

/** Parses the path of a readable folder. Returns the absolute path. */
export const parseFolder: Parse<string> = (given) => {
  const path = resolve(given);
  use(path, 'a folder that exists and that this user may read', (folder) => readdirSync(folder));
  return path;
};
