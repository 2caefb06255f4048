import { renderUnicodeCompact } from 'uqr';

/**
 * Escape sequence for light characters on black, whatever the colours of the terminal are. The characters draw the light
 * squares. Without the sequence, a light terminal would invert the code, and cameras could not read it.
 */
const LIGHT_ON_DARK = '\u001b[97;40m';
const PLAIN = '\u001b[0m';

/**
 * Draws a QR code in characters of the terminal. One character shows two squares.
 *
 * @param border width of the empty border in squares; the standard requires four
 * @param isColoured whether the output supports colours
 * @returns the lines of the code. Without colours, cameras can read it only if the terminal shows light text on dark
 * @see ISO/IEC 18004 §9.1 (quiet zone)
 */
export function drawQrCode(
  text: string,
  { border = 4, isColoured }: { border?: number; isColoured: boolean },
): string[] {
  const lines = renderUnicodeCompact(text, { border }).split('\n');
  return isColoured ? lines.map((line) => LIGHT_ON_DARK + line + PLAIN) : lines;
}
