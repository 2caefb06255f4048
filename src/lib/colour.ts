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

/** Parses a CSS colour without transparency: `#17694c`, `teal`, `hsl(…)`, `oklch(…)`. */
export function parseColour(text: string): Colour | undefined {
  const parsed = parse(text);
  if (!parsed || (parsed.alpha ?? 1) < 1) return undefined;
  return formatHex(clampChroma(parsed, 'oklch'));
}

/** The contrast of two colours: 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(one: Colour, other: Colour): number {
  return wcagContrast(one, other);
}

/** The perceived distance of two colours: 0 for the same one, 1 for black and white (Oklab). */
export function distance(one: Colour, other: Colour): number {
  return inOklab(one, other);
}

/** Mixes `share` of the first colour into the second one (Oklab). */
export function mix(colour: Colour, ground: Colour, share: number): Colour {
  return formatHex(interpolate([ground, colour], 'oklab')(share));
}

/** The same hue, lighter by `by` of the distance from black to white; darker below 0. */
export function shift(colour: Colour, by: number): Colour {
  const { l = 0, c = 0, h } = toOklch(colour) ?? { mode: 'oklch' };
  const moved = { mode: 'oklch' as const, l: Math.min(1, Math.max(0, l + by)), c, ...(h === undefined ? {} : { h }) };
  return formatHex(clampChroma(moved, 'oklch'));
}

/** The nearest tone of a colour, lighter or darker, that stands out from all the grounds by at least `ratio`. */
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
