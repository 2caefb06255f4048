const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]+/gu;

/**
 * A short text of somebody else's, made safe to show and to keep on one line: without control, formatting and
 * unpaired characters, which could turn the reading direction or hide a part of it; spaces joined and trimmed.
 *
 * Gives   perhaps nothing but an empty text.
 * Source  Unicode TR36 §2.10
 */
export const cleanText = (text: string): string =>
  text.normalize('NFC').replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
