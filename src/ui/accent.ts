import { type Colour, contrast, distance, mix, readableTone, shift } from '../lib/colour.ts';

/** The colours of styles/parts/tokens.css that an accent colour must stand out from. */
export const neighbours = {
  light: { surface: '#ffffff', canvas: '#f4f4f4', sunken: '#eeeeee', ink: '#1c1e1d', danger: '#b42318' },
  dark: { surface: '#1c1e1d', canvas: '#101111', sunken: '#242625', ink: '#e9eaea', danger: '#ff9c91' },
} as const;

export type Scheme = keyof typeof neighbours;

/** The contrast that WCAG 2.2 requires of text (1.4.3) and of the surface of a button (1.4.11). */
const TEXT = 4.5;
const FACE = 3;

/** An accent colour that is closer to the error colour than this could be mistaken for an error. */
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
 * Returns the tones of an accent colour in the light or dark theme: the colour itself if it is readable, else the nearest
 * readable tone.
 *
 * @returns accent: for text and lines; accent-soft: a background for them; fill and on-fill: a button and its text; the
 *   names with `strong`: the same under the pointer; focus: the focus ring; calm and calm-ink: background and text of
 *   success messages. focus, calm and calm-ink do not use the accent colour if it resembles the error colour
 * @see WCAG 2.2, 1.4.3, 1.4.11
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

/** Returns the style sheet that replaces the default accent colour. */
export function accentSheet(colour: Colour): string {
  return `${rulesOf(colour, 'light')}@media (prefers-color-scheme:dark){${rulesOf(colour, 'dark')}}\n`;
}
