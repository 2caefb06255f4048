import type { FormerRow } from '../db/mbkauthe.ts';

/** Text of a column, or a number in digits; undefined for null or an empty text, or if there is no such column. */
export function textOf(row: FormerRow, name: string): string | undefined {
  const value = row.get(name);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export const idOf = (row: FormerRow): number => Number(row.get('id'));

/** Booleans are 0 and 1 on SQLite. */
export const isSet = (row: FormerRow, name: string): boolean => row.get(name) === true || row.get(name) === 1;

/** A column of JSON, which is text on SQLite; undefined for null. Text that is not JSON stays text. */
export function jsonOf(row: FormerRow, name: string): unknown {
  const value = row.get(name) ?? undefined;
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) ?? undefined;
  } catch {
    return value;
  }
}

/** An instant in ISO 8601; without a zone it is one of UTC. Undefined for null. */
export function instantOf(row: FormerRow, name: string): string | undefined {
  const value = row.get(name);
  if (typeof value === 'number') return new Date(value).toISOString();
  if (typeof value !== 'string') return undefined;
  const text = value
    .trim()
    .replace(' ', 'T')
    .replace(/([+-]\d\d)$/, '$1:00');
  return /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`;
}
