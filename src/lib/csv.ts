/** Matches text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value !== 'string') return String(value);
  return FORMULA.test(value) ? `'${value}` : value;
}

const quote = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/**
 * Returns a line of CSV without its line end, which is CR LF. Lists and objects become JSON text. Text that a
 * spreadsheet would run as a formula gets a `'` in front.
 *
 * @see RFC 4180; OWASP CSV injection
 */
export const toCsvLine = (values: readonly unknown[]): string => values.map((value) => quote(toText(value))).join(',');
