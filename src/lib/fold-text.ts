/** Lower case by way of both others, so that each of ẞ, ß and SS gives the same. */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase();

/**
 * A text for searching: equal for texts that differ only in case or composition, as `Straße` and `STRASSE` do. The folded
 * text holds the folded form of each of its words and of their parts.
 *
 * Both databases compare what this has folded, because each of them folds letters differently. The final sigma becomes
 * a usual one. The four letters i of Turkish become one, because they are case pairs of each other in one language or
 * another.
 *
 * @see Unicode 16.0 §5.18
 */
export const foldText = (text: string): string =>
  foldCase(text.normalize('NFKC')).replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFKC');
