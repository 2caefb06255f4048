/** No character of a normal form is made of more UTF-16 units than this: four of the basic plane, or two beyond it. */
const MAX_UNITS = 4;

/**
 * A text of at most `most` characters in a normal form of Unicode.
 *
 * The time that `normalize` takes grows with the square of a run of combining marks: a second for 64 KiB of them. So a
 * text that is too long to become short enough is refused before it.
 *
 * @returns undefined for one with more characters (code points of the normal form)
 * @see Unicode TR15 §12 (maximum expansion); ASVS 5.0 15.2.2
 */
export function normalForm(text: string, form: 'NFC' | 'NFKC', most: number): string | undefined {
  if (text.length > most * MAX_UNITS) return undefined;
  const normal = text.normalize(form);
  return [...normal].length > most ? undefined : normal;
}
