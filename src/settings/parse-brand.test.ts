import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAccent, parseFolder, parseLogo, parseName } from './parse-brand.ts';

let folder: string;
const png = Buffer.from('\x89PNG\r\n\x1a\n0123456789', 'latin1');
const files: Record<string, string | Buffer> = {
  'plain.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'declared.SVG': '\uFEFF<?xml version="1.0"?>\n<!-- made by hand -->\n<svg/>',
  'picture.png': png,
  'picture.webp': Buffer.from('RIFF\x04\x00\x00\x00WEBPVP8 ', 'latin1'),
  'page.svg': '<html><svg></svg></html>',
  'text.png': '<svg/>',
  'picture.gif': 'GIF89a',
  'large.png': Buffer.concat([png, Buffer.alloc(256 * 1024)]),
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'authsvc-brand-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['#0057b8', '#0057b8'],
  ['#f0a', '#ff00aa'],
  ['teal', '#008080'],
  ['rgb(0 128 128)', '#008080'],
  ['black', '#000000'],
])('the accent %s is parsed as %s', (text, colour) => {
  expect(parseAccent(text)).toBe(colour);
});

test.each(['#ffffff', 'white', '#fffde0', 'yellow'])(
  '%s is refused as the accent, because it cannot be distinguished from white',
  (text) => {
    expect(() => parseAccent(text)).toThrow('is distinguishable from white');
  },
);

test.each(['blau', '#12', '#0057b880', 'transparent', '#0057b8;}', 'var(--x)', 'url(x)'])(
  '%s is refused as the accent, because it is not a colour',
  (text) => {
    expect(() => parseAccent(text)).toThrow('a colour such as');
  },
);

test.each(['plain.svg', 'declared.SVG', 'picture.png', 'picture.webp'])('%s is accepted as a logo', (name) => {
  expect(parseLogo(join(folder, name))).toBe(join(folder, name));
});

test.each([
  ['page.svg', 'matches its file name'],
  ['text.png', 'matches its file name'],
  ['picture.gif', '.svg, .png or .webp'],
  ['large.png', '256 KiB'],
  ['none.svg', 'exists'],
])('%s is refused as a logo', (name, reason) => {
  expect(() => parseLogo(join(folder, name))).toThrow(reason);
});

test.each([
  ['Harbour', 'Harbour'],
  ['a\u202eb', 'a b'],
  ['👩‍💻 1', '👩‍💻 1'],
])('the name %j of the brand is parsed as %j', (text, name) => {
  expect(parseName(8)(text)).toBe(name);
});

test.each(['\u200b', ':', '— !', 'Harbours9'])('%j is refused as the name of the brand', (text) => {
  expect(() => parseName(8)(text)).toThrow('at most 8 characters, with at least one letter or digit');
});

test('a pipe and a folder are refused as pictures, and the start does not wait for them', () => {
  execFileSync('mkfifo', [join(folder, 'pipe.svg')]);
  mkdirSync(join(folder, 'folder.svg'));

  expect(() => parseLogo(join(folder, 'pipe.svg'))).toThrow('a file that exists');
  expect(() => parseLogo(join(folder, 'folder.svg'))).toThrow('a file that exists');
});

test('where a folder is expected, an existing folder is accepted and a file is refused', () => {
  expect(parseFolder(folder)).toBe(folder);
  expect(() => parseFolder(join(folder, 'plain.svg'))).toThrow('a folder');
  expect(() => parseFolder(join(folder, 'none'))).toThrow('a folder');
});
