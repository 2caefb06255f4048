import {
  clampChroma,
  converter,
  differenceEuclidean,
  formatHex,
  interpolate,
  modeHsl,
  modeLrgb,
  modeOklab,
  modeOklch,
  modeRgb,
  parse,
  useMode,
  wcagContrast,
} from 'culori/fn';

for (const mode of [modeRgb, modeLrgb, modeHsl, modeOklab, modeOklch]) useMode(mode);
const toOklch = converter('oklch');
const inOklab = differenceEuclidean('oklab');

/** A colour as `#rrggbb`. */
export type Colour = string;

const STEP = 0.005;

/**
 * Parses a CSS colour such as `#17694c`, `teal`, `hsl(…)` or `oklch(…)`. Returns undefined for other text, and for
 * a colour with transparency.
 */
export function parseColour(text: string): Colour | undefined {
  const parsed = parse(text);
  if (!parsed || (parsed.alpha ?? 1) < 1) return undefined;
  return formatHex(clampChroma(parsed, 'oklch'));
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: Colour, other: Colour): number {
  return wcagContrast(one, other);
}

/** Returns the perceived difference of two colours: 0 if they are the same, 1 for black and white (Oklab). */
export function distance(one: Colour, other: Colour): number {
  return inOklab(one, other);
}

/** Mixes `share` of the first colour with the rest of the second colour (Oklab). */
export function mix(colour: Colour, ground: Colour, share: number): Colour {
  return formatHex(interpolate([ground, colour], 'oklab')(share));
}

/**
 * Makes a colour lighter, or darker if `by` is negative, without changing its hue. `by` is a part of the lightness
 * range, where 1 is the distance from black to white.
 */
export function shift(colour: Colour, by: number): Colour {
  const { l = 0, c = 0, h } = toOklch(colour) ?? { mode: 'oklch' };
  const moved = { mode: 'oklch' as const, l: Math.min(1, Math.max(0, l + by)), c, ...(h === undefined ? {} : { h }) };
  return formatHex(clampChroma(moved, 'oklch'));
}

/**
 * Returns the tone nearest to a colour whose contrast to every ground is at least `ratio`. `towards` decides
 * whether the tone is darker or lighter than the colour.
 */
export function readableTone(
  colour: Colour,
  { grounds, ratio, towards }: { grounds: readonly Colour[]; ratio: number; towards: 'black' | 'white' },
): Colour {
  const isReadable = (tone: Colour) => grounds.every((ground) => contrast(tone, ground) >= ratio);
  for (let moved = 0; moved <= 1; moved += STEP) {
    const tone = shift(colour, towards === 'black' ? -moved : moved);
    if (isReadable(tone)) return tone;
  }
  return towards === 'black' ? '#000000' : '#ffffff';
}
