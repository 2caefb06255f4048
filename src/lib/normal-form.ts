/**
 * The largest number of UTF-16 units that a normal form combines into one character: four characters of the basic
 * plane, or two beyond it.
 */
const MAX_UNITS = 4;

/**
 * Converts a text to a normal form of Unicode, if the result has at most `most` characters.
 *
 * The time that `normalize` takes grows with the square of the length of a run of combining marks. For 64 KiB of them,
 * it takes a second. So a text that cannot become short enough is refused before it is normalised.
 *
 * @returns undefined if the normal form has more characters (code points)
 * @see Unicode TR15 §12 (maximum expansion); ASVS 5.0 15.2.2
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC', most: number): string | undefined {
  if (text.length > most * MAX_UNITS) return undefined;
  const normal = text.normalize(form);
  return [...normal].length > most ? undefined : normal;
}
