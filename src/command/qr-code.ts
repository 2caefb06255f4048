import { renderUnicodeCompact } from 'uqr';

/**
 * Light characters on black, whatever the terminal's own colours are, because cameras need dark squares on a light
 * background.
 */
const LIGHT_ON_DARK = '\u001b[97;40m';
const PLAIN = '\u001b[0m';

/**
 * A QR code in characters of the terminal, two squares per character.
 *
 * @param border empty squares around it; the standard requires four
 * @param isColoured the output supports colours
 * @returns its lines. Without colours it works only with light letters on a dark background
 * @see ISO/IEC 18004 §9.1 (quiet zone)
 */
export function drawQrCode(
  text: string,
  { border = 4, isColoured }: { border?: number; isColoured: boolean },
): string[] {
  const lines = renderUnicodeCompact(text, { border }).split('\n');
  return isColoured ? lines.map((line) => LIGHT_ON_DARK + line + PLAIN) : lines;
}
