import { type Colour, contrast, mix, readableTone, shift } from '../kit/colour.ts';

/** The grounds of styles/parts/tokens.css that the accent stands on. */
export const grounds = {
  light: { surface: '#ffffff', canvas: '#f4f4f4', sunken: '#f5f5f5' },
  dark: { surface: '#1c1e1d', canvas: '#101111', sunken: '#242625' },
} as const;

export type Scheme = keyof typeof grounds;

/** What text needs, and what the face of a button needs (WCAG 2.2, 1.4.3 and 1.4.11). */
const TEXT = 4.5;
const FACE = 3;

export interface AccentTones {
  accent: Colour;
  'accent-strong': Colour;
  'accent-soft': Colour;
  fill: Colour;
  'fill-strong': Colour;
  'on-fill': Colour;
}

/**
 * The tones of an accent in light or in dark: the colour itself where it can be read, else the nearest tone that can.
 *
 * Gives   accent: for words and lines; accent-soft: a ground for them; fill and on-fill: a button and its words; the
 *         strong ones: beneath a pointer.
 * Source  WCAG 2.2, 1.4.3, 1.4.11
 */
export function accentTones(colour: Colour, scheme: Scheme): AccentTones {
  const { surface, canvas, sunken } = grounds[scheme];
  const towards = scheme === 'light' ? 'black' : 'white';
  const away = scheme === 'light' ? -1 : 1;
  const soft = mix(colour, surface, scheme === 'light' ? 0.1 : 0.16);
  const accent = readableTone(colour, { grounds: [surface, canvas, sunken, soft], ratio: TEXT, towards });
  const fill = readableTone(colour, { grounds: [surface, canvas], ratio: FACE, towards });
  const onFill = contrast(fill, '#ffffff') >= TEXT ? '#ffffff' : '#000000';
  return {
    accent,
    'accent-strong': shift(accent, 0.06 * away),
    'accent-soft': soft,
    fill,
    'fill-strong': shift(fill, onFill === '#ffffff' ? -0.05 : 0.05),
    'on-fill': onFill,
  };
}

function rulesOf(colour: Colour, scheme: Scheme): string {
  const tones = Object.entries(accentTones(colour, scheme)).map(([name, tone]) => `--${name}:${tone}`);
  return `:root{${tones.join(';')}}`;
}

/** The style sheet that puts an accent in the place of the usual one. */
export function accentSheet(colour: Colour): string {
  return `${rulesOf(colour, 'light')}@media (prefers-color-scheme:dark){${rulesOf(colour, 'dark')}}\n`;
}
