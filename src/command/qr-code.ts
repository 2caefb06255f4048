import { renderUnicodeCompact } from 'uqr';

/** Light signs on black, whatever the terminal's own colours are: cameras want dark squares on a light ground. */
const LIGHT_ON_DARK = '\u001b[97;40m';
const PLAIN = '\u001b[0m';

/**
 * A QR code in signs of the terminal, two squares a sign.
 *
 * Needs   border: squares of quiet around it; four are the standard's. isColoured: the output understands colours.
 * Gives   its lines. Without colours it is right for light letters on a dark ground only.
 * Source  ISO/IEC 18004 §9.1 (quiet zone)
 */
export function drawQrCode(
  text: string,
  { border = 4, isColoured }: { border?: number; isColoured: boolean },
): string[] {
  const lines = renderUnicodeCompact(text, { border }).split('\n');
  return isColoured ? lines.map((line) => LIGHT_ON_DARK + line + PLAIN) : lines;
}
