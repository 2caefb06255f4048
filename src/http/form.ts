/** The fields of a form. A field that occurs several times has a list of values. */
export type FormFields = Record<string, string | string[]>;

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

/**
 * Parses the body of an HTML form (`application/x-www-form-urlencoded`).
 *
 * Drops the fields `__proto__` and `constructor`, as the JSON parser does.
 *
 * @returns undefined if a percent-escape is malformed, which no browser sends
 * @see URL Standard §5.1
 */
export function parseForm(text: string): FormFields | undefined {
  const fields = new Map<string, string | string[]>();
  try {
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const [name = '', ...rest] = pair.split('=');
      const key = decode(name);
      const value = decode(rest.join('='));
      const before = fields.get(key);
      fields.set(key, before === undefined ? value : [...[before].flat(), value]);
    }
  } catch {
    return undefined;
  }
  fields.delete('__proto__');
  fields.delete('constructor');
  return Object.fromEntries(fields);
}
