/**
 * Converts to lower case, then upper case, then lower case again, because only then ẞ, ß and SS all give the same
 * text.
 */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase();

/**
 * Folds a text for searching. Texts that differ only in case or composition, such as `Straße` and `STRASSE`, give
 * the same folded text. It contains the folded form of each word and of each part of a word.
 *
 * Both databases compare folded texts, because each database would fold letters in its own way. A final sigma
 * becomes an ordinary sigma. The four Turkish letters i become one, because any two of them are a case pair in some
 * language.
 *
 * @see Unicode 16.0 §5.18
 */
export const foldText = (text: string): string =>
  foldCase(text.normalize('NFKC')).replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFKC');
