import type { Parse } from './parse.ts';

/** Parses the prefixes of API tokens that a former service issued. An empty text means that there are none. */
export const parseTokenPrefixes: Parse<string[]> = (text) => {
  const prefixes = text.split(',').map((prefix) => prefix.trim());
  if (text.trim() === '') return [];
  if (!prefixes.every((prefix) => /^[a-z0-9_]{1,15}_$/.test(prefix)))
    throw new Error('prefixes separated by commas, each 2 to 16 of a-z, 0-9 and _, ending in _');
  return prefixes;
};
