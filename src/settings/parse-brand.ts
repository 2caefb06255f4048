import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { type Colour, contrast, parseColour } from '../lib/colour.ts';
import { cleanText } from '../lib/plain-text.ts';
import type { Parse } from './parse.ts';

const MAX_LOGO_BYTES = 256 * 1024;

const THERE = 'a file that exists and that this user may read';

/** Paler colours would have to be changed beyond recognition to be seen on a white page. */
const MIN_ON_WHITE = 1.5;

/** A name that people read: without what does not show, and with something in it that can be read. */
export const parseName =
  (maximum: number): Parse<string> =>
  (text) => {
    const name = cleanText(text);
    if (name.length > maximum || !/[\p{L}\p{N}]/u.test(name))
      throw new Error(`at most ${maximum} characters, a letter or digit among them`);
    return name;
  };

/** A colour of CSS that can be told from white. */
export const parseAccent: Parse<Colour> = (text) => {
  const colour = parseColour(text);
  if (colour === undefined) throw new Error('a colour such as #17694c, without transparency');
  if (contrast(colour, '#ffffff') < MIN_ON_WHITE)
    throw new Error(`a colour that can be told from white (a contrast of at least ${MIN_ON_WHITE})`);
  return colour;
};

/** How a file of each kind begins. */
const beginnings: Record<string, (content: Buffer) => boolean> = {
  '.svg': (content) =>
    /^\uFEFF?\s*<(\?xml\b|!--|!DOCTYPE\b|svg\b)/i.test(text(content)) && /<svg[\s/>]/i.test(text(content)),
  '.png': (content) => content.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
  '.webp': (content) => /^RIFF.{4}WEBP/s.test(content.subarray(0, 12).toString('latin1')),
};

const text = (content: Buffer): string => content.toString('utf8');

/** A pipe or a device would never end, and what is too large need not be read. */
function read(path: string): Buffer {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile()) throw new Error(THERE);
  if (facts.size > MAX_LOGO_BYTES) throw new Error('a picture of at most 256 KiB');
  try {
    return readFileSync(path);
  } catch {
    throw new Error(THERE);
  }
}

/** The whole path of a picture that is what its name says. */
export const parseLogo: Parse<string> = (given) => {
  const path = resolve(given);
  const begins = beginnings[extname(path).toLowerCase()];
  if (!begins) throw new Error('a file whose name ends in .svg, .png or .webp');
  const content = read(path);
  if (!begins(content)) throw new Error('a picture that is what its name says');
  return path;
};

/** The whole path of a folder. */
export const parseFolder: Parse<string> = (given) => {
  const path = resolve(given);
  try {
    readdirSync(path);
  } catch {
    throw new Error('a folder that is there and may be read');
  }
  return path;
};
