import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type Colour, contrast, parseColour } from '../lib/colour.ts';
import { describeFileFault } from '../lib/file-fault.ts';
import { cleanText } from '../lib/plain-text.ts';
import type { Parse } from './parse.ts';

const MAX_LOGO_BYTES = 256 * 1024;

const THERE = 'a file that exists and that this user may read';

/** Paler colours would have to change beyond recognition to be visible on a white page. */
const MIN_ON_WHITE = 1.5;

/** A name for people: without invisible characters, and with at least one letter or digit. */
export const parseName =
  (maximum: number): Parse<string> =>
  (text) => {
    const name = cleanText(text);
    if (name.length > maximum || !/[\p{L}\p{N}]/u.test(name))
      throw new Error(`at most ${maximum} characters, a letter or digit among them`);
    return name;
  };

/** A CSS colour that is distinguishable from white. */
export const parseAccent: Parse<Colour> = (text) => {
  const colour = parseColour(text);
  if (colour === undefined) throw new Error('a colour such as #17694c, without transparency');
  if (contrast(colour, '#ffffff') < MIN_ON_WHITE)
    throw new Error(`a colour that is distinguishable from white (a contrast of at least ${MIN_ON_WHITE})`);
  return colour;
};

/** Checks the first bytes of a file of each kind. */
const beginnings: Record<string, (content: Buffer) => boolean> = {
  '.svg': (content) =>
    /^\uFEFF?\s*<(\?xml\b|!--|!DOCTYPE\b|svg\b)/i.test(text(content)) && /<svg[\s/>]/i.test(text(content)),
  '.png': (content) => content.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  '.webp': (content) => /^RIFF.{4}WEBP/s.test(content.subarray(0, 12).toString('latin1')),
};

const text = (content: Buffer): string => content.toString('utf8');

/** Calls a function of node:fs. If it fails, the error says what is expected, and what is wrong with the file. */
function use<Result>(path: string, expected: string, work: (path: string) => Result): Result {
  try {
    return work(path);
  } catch (error) {
    throw new Error(`${expected}: ${describeFileFault(error, path)}`);
  }
}

/** Reading a pipe or a device might never end, and a file that is too large is not read. */
function read(path: string): Buffer {
  const facts = use(path, THERE, (file) => statSync(file));
  if (!facts.isFile()) throw new Error(THERE);
  if (facts.size > MAX_LOGO_BYTES) throw new Error('a picture of at most 256 KiB');
  return use(path, THERE, (file) => readFileSync(file));
}

/** The absolute path of a picture whose content matches its name. */
export const parseLogo: Parse<string> = (given) => {
  const path = resolve(given);
  const begins = beginnings[extname(path).toLowerCase()];
  if (!begins) throw new Error('a file whose name ends in .svg, .png or .webp');
  const content = read(path);
  if (!begins(content)) throw new Error('a picture that is what its name says');
  return path;
};

/** The absolute path of a folder. */
export const parseFolder: Parse<string> = (given) => {
  const path = resolve(given);
  use(path, 'a folder that exists and that this user may read', (folder) => readdirSync(folder));
  return path;
};
