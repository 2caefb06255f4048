/**
 * What does not show: control, formatting, private and unpaired characters, those that fonts leave out, and letters and
 * signs that are drawn as nothing (blank braille, hieroglyphs and a note without a head, the Khitan filler).
 */
const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16FE4}\u{1D159}`;
const ANY_UNSEEN = new RegExp(`[${UNSEEN}]`, 'v');
/** Scripts in whose words a joiner between two letters changes how those are drawn, and belongs to the spelling. */
const JOINED = ['Arab', 'Syrc', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh']
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const JOINER = String.raw`(?<=[${JOINED}]\p{M}*)[\u200C\u200D](?=[${JOINED}])`;
/** A whole emoji, a character that shows with the one selector of its form, or a joiner in a word; else a run of what does not show. */
const PIECES = new RegExp(
  String.raw`(\p{RGI_Emoji}|[^\s${UNSEEN}]\p{Variation_Selector}|${JOINER})|[${UNSEEN}]+`,
  'gv',
);
/** Marks show on something, and not by themselves. */
const SHOWN = /[^\p{M}\s]/u;

/** Whether a part of a text does not show, so that the text looks like another one. */
export const hasUnseen = (text: string): boolean => ANY_UNSEEN.test(text);

/**
 * A short text of somebody else's, made safe to show and to keep on one line: without what does not show, which could
 * turn the reading direction or hide a part of it, but within an emoji or a word that is spelled so; spaces joined and trimmed.
 *
 * Gives   an empty text for one of which nothing shows.
 * Source  Unicode TR36 §2.10; UAX31 §2.3; TR44 Default_Ignorable_Code_Point; TR51 §1.4.9
 */
export function cleanText(text: string): string {
  const clean = text
    .normalize('NFC')
    .replace(PIECES, (_piece, kept = ' ') => kept)
    .replace(/\s+/g, ' ')
    .trim();
  return SHOWN.test(clean) ? clean : '';
}

/** Characters that move the cursor, change a terminal, or turn the direction of reading. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;

/** A text of someone else's, safe to print on one line of a terminal (CWE-150). Everything else stays as written. */
export const toPrintable = (text: string): string => text.replace(UNPRINTABLE, '\ufffd');

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** JSON in which what is not safe to print is written as an escape, so that it has the same value. */
export const toPrintableJson = (value: unknown): string => JSON.stringify(value).replace(UNPRINTABLE, asEscape);
