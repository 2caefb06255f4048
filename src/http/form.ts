/** The fields of a form: a name that occurs several times has a list. */
export type FormFields = Record<string, string | string[]>;

const decode = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '));

/**
 * Reads the body of an HTML form (`application/x-www-form-urlencoded`).
 *
 * The fields `__proto__` and `constructor` are dropped, as in JSON.
 *
 * @returns undefined if an escape is malformed, which no browser sends
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
