import type { FormerRow } from '../db/mbkauthe.ts';

/** Text of a column; undefined for null, or if there is no such column. */
export function textOf(row: FormerRow, name: string): string | undefined {
  const value = row.get(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export const idOf = (row: FormerRow): number => Number(row.get('id'));

/** Booleans are 0 and 1 on SQLite. */
export const isSet = (row: FormerRow, name: string): boolean => row.get(name) === true || row.get(name) === 1;

/** A column of JSON, which is text on SQLite; undefined if it holds none. */
export function jsonOf(row: FormerRow, name: string): unknown {
  const value = row.get(name);
  if (typeof value !== 'string') return value ?? undefined;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
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
