import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { contrast, parseColour } from '../lib/colour.ts';
import { accentSheet, accentTones, neighbours } from './accent.ts';

const COLOURS = [
  '#17694c',
  '#000000',
  '#7f7f7f',
  '#f97316',
  '#ffc107',
  '#ff0000',
  '#00ff00',
  '#0000ff',
  '#e879f9',
  '#0a84ff',
];

test.each(COLOURS.flatMap((colour) => (['light', 'dark'] as const).map((scheme) => [colour, scheme] as const)))(
  'text in the accent %s is readable everywhere in the %s theme',
  (colour, scheme) => {
    const tones = accentTones(colour, scheme);
    const { surface, canvas, sunken } = neighbours[scheme];

    for (const ground of [surface, canvas, sunken, tones['accent-soft']]) {
      expect(contrast(tones.accent, ground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(tones['accent-strong'], ground)).toBeGreaterThanOrEqual(4.5);
    }
    for (const face of [tones.fill, tones['fill-strong']]) {
      expect(contrast(tones['on-fill'], face)).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(tones.fill, surface)).toBeGreaterThanOrEqual(3);
  },
);

test('a readable accent colour is not changed', () => {
  expect(accentTones('#17694c', 'light')).toMatchObject({ accent: '#17694c', fill: '#17694c', 'on-fill': '#ffffff' });
});

/** Returns the difference between the largest and the smallest component of a colour; 0 for a grey. */
function spread(colour: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return Math.max(...parts) - Math.min(...parts);
}

test.each(['light', 'dark'] as const)(
  'in the %s theme, a field with focus does not look like one with an error',
  (scheme) => {
    const { ink, surface } = neighbours[scheme];

    for (const red of ['#ff0000', '#e11d48', '#b42318', '#f97316', '#be185d']) {
      const { focus, calm, 'calm-ink': calmInk } = accentTones(red, scheme);
      expect([focus, calmInk], red).toEqual([ink, ink]);
      expect(spread(calm), red).toBeLessThanOrEqual(4);
      expect(contrast(calm, surface), red).toBeGreaterThan(1.1);
      expect(contrast(ink, calm), red).toBeGreaterThan(7);
    }
    for (const other of ['#17694c', '#0057b8', '#6d28d9']) {
      const tones = accentTones(other, scheme);
      expect(tones, other).toMatchObject({ focus: tones.accent, calm: tones['accent-soft'], 'calm-ink': tones.accent });
    }
  },
);

test('the colours that accents must stand out from are those of the style sheet', () => {
  const [light = '', dark = ''] = readFileSync(`${import.meta.dirname}/styles/parts/tokens.css`, 'utf8').split(
    '@media',
  );
  const tokens = (css: string) =>
    ['surface', 'canvas', 'sunken', 'ink', 'danger'].map((name) => [
      name,
      parseColour(new RegExp(`--${name}: (#\\w+);`).exec(css)?.[1] ?? ''),
    ]);

  expect(Object.fromEntries(tokens(light))).toEqual(neighbours.light);
  expect(Object.fromEntries(tokens(dark))).toEqual(neighbours.dark);
});

test('the style sheet of an accent sets only CSS variables', () => {
  expect(accentSheet('#f97316')).toMatch(
    /^:root\{(--[a-z-]+:#[0-9a-f]{6};?){9}\}@media \(prefers-color-scheme:dark\)\{:root\{(--[a-z-]+:#[0-9a-f]{6};?){9}\}\}\n$/,
  );
});
