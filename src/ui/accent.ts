import { type Colour, contrast, distance, mix, readableTone, shift } from '../lib/colour.ts';

/** The colours of styles/parts/tokens.css that an accent stands on or beside. */
export const neighbours = {
  light: { surface: '#ffffff', canvas: '#f4f4f4', sunken: '#eeeeee', ink: '#1c1e1d', danger: '#b42318' },
  dark: { surface: '#1c1e1d', canvas: '#101111', sunken: '#242625', ink: '#e9eaea', danger: '#ff9c91' },
} as const;

export type Scheme = keyof typeof neighbours;

/** What text needs, and what the face of a button needs (WCAG 2.2, 1.4.3 and 1.4.11). */
const TEXT = 4.5;
const FACE = 3;

/** Nearer than this, an accent looks as if something were wrong. */
const LIKE_DANGER = 0.16;

export interface AccentTones {
  accent: Colour;
  'accent-strong': Colour;
  'accent-soft': Colour;
  fill: Colour;
  'fill-strong': Colour;
  'on-fill': Colour;
  focus: Colour;
  calm: Colour;
  'calm-ink': Colour;
}

/**
 * The tones of an accent in light or in dark: the colour itself where it can be read, else the nearest tone that can.
 *
 * Gives   accent: for words and lines; accent-soft: a ground for them; fill and on-fill: a button and its words; the
 *         strong ones: beneath a pointer. focus: the line around what has the focus; calm and calm-ink: ground and words of
 *         what says that all is well. These three have no colour where the accent looks like that of errors.
 * Source  WCAG 2.2, 1.4.3, 1.4.11
 */
export function accentTones(colour: Colour, scheme: Scheme): AccentTones {
  const { surface, canvas, sunken, ink, danger } = neighbours[scheme];
  const towards = scheme === 'light' ? 'black' : 'white';
  const away = scheme === 'light' ? -1 : 1;
  const soft = mix(colour, surface, scheme === 'light' ? 0.1 : 0.16);
  const accent = readableTone(colour, { grounds: [surface, canvas, sunken, soft], ratio: TEXT, towards });
  const fill = readableTone(colour, { grounds: [surface, canvas], ratio: FACE, towards });
  const coloured = { focus: accent, calm: soft, 'calm-ink': accent };
  const colourless = { focus: ink, calm: mix(ink, surface, scheme === 'light' ? 0.08 : 0.16), 'calm-ink': ink };
  const onFill = contrast(fill, '#ffffff') >= TEXT ? '#ffffff' : '#000000';
  return {
    accent,
    'accent-strong': shift(accent, 0.06 * away),
    'accent-soft': soft,
    fill,
    'fill-strong': shift(fill, onFill === '#ffffff' ? -0.05 : 0.05),
    'on-fill': onFill,
    ...(distance(accent, danger) < LIKE_DANGER ? colourless : coloured),
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
