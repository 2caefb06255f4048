/**
 * Matches invisible characters: control, formatting, private-use and unpaired characters, characters that fonts do
 * not draw, and characters that look blank (braille blank, blank hieroglyphs, a note without a head, the Khitan
 * filler).
 */
const UNSEEN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{13441}\u{13442}\u{16FE4}\u{1D159}`;
const ANY_UNSEEN = new RegExp(`[${UNSEEN}]`, 'v');
/** Scripts in which an invisible joiner between two letters changes their shape and belongs to the spelling. */
const JOINED = ['Arab', 'Syrc', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym', 'Sinh']
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('');
const JOINER = String.raw`(?<=[${JOINED}]\p{M}*)[\u200C\u200D](?=[${JOINED}])`;
/**
 * Matches what `cleanText` keeps (a whole emoji, a visible character with one variation selector, or a joiner
 * inside a word), or else a run of invisible characters.
 */
const PIECES = new RegExp(
  String.raw`(\p{RGI_Emoji}|[^\s${UNSEEN}]\p{Variation_Selector}|${JOINER})|[${UNSEEN}]+`,
  'gv',
);
/** Matches a visible character. A combining mark alone is not visible. */
const SHOWN = /[^\p{M}\s]/u;

/** Returns whether a text contains invisible characters, which can make it look like another text. */
export const hasUnseen = (text: string): boolean => ANY_UNSEEN.test(text);

/**
 * Makes a short untrusted text safe to show on one line. Removes invisible characters, because they could reverse
 * the reading direction or hide a part. Keeps those that an emoji or a word needs. Joins and trims spaces.
 *
 * @returns an empty text if nothing in it is visible
 * @see Unicode TR36 §2.10; UAX31 §2.3; TR44 Default_Ignorable_Code_Point; TR51 §1.4.9
 */
export function cleanText(text: string): string {
  const clean = text
    .normalize('NFC')
    .replace(PIECES, (_piece, kept = ' ') => kept)
    .replace(/\s+/g, ' ')
    .trim();
  return SHOWN.test(clean) ? clean : '';
}

/** Characters that move the cursor, control a terminal, or change the reading direction. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]/gu;

/** Makes an untrusted text safe to print on one line of a terminal (CWE-150). All other characters stay unchanged. */
export const toPrintable = (text: string): string => text.replace(UNPRINTABLE, '\ufffd');

const asEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns JSON in which characters that are unsafe to print are escaped. Its value stays the same. */
export const toPrintableJson = (value: unknown): string => JSON.stringify(value).replace(UNPRINTABLE, asEscape);
