import { type Colour, contrast, distance, mix, readableTone, shift } from '../lib/colour.ts';

/** The colours of styles/parts/tokens.css on or beside which an accent appears. */
export const neighbours = {
  light: { surface: '#ffffff', canvas: '#f4f4f4', sunken: '#eeeeee', ink: '#1c1e1d', danger: '#b42318' },
  dark: { surface: '#1c1e1d', canvas: '#101111', sunken: '#242625', ink: '#e9eaea', danger: '#ff9c91' },
} as const;

export type Scheme = keyof typeof neighbours;

/** The contrast that text needs, and that the surface of a button needs (WCAG 2.2, 1.4.3 and 1.4.11). */
const TEXT = 4.5;
const FACE = 3;

/** An accent that is closer to the error colour than this looks like an error. */
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
 * The tones of an accent in light or dark: the colour itself if it is readable, else the nearest readable tone.
 *
 * @returns accent: for text and lines; accent-soft: a background for them; fill and on-fill: a button and its text;
 *   the strong ones: under the pointer. focus: the focus ring; calm and calm-ink: background and text of success
 *   messages. These three use no accent if it looks like the error colour
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

/** The style sheet that replaces the default accent. */
export function accentSheet(colour: Colour): string {
  return `${rulesOf(colour, 'light')}@media (prefers-color-scheme:dark){${rulesOf(colour, 'dark')}}\n`;
}
