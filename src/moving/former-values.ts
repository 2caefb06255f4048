import type { FormerRow } from '../db/mbkauthe.ts';

/**
 * Returns the text of a column, or its number as digits. Returns undefined if the column is null, empty or missing.
 */
export function textOf(row: FormerRow, name: string): string | undefined {
  const value = row.get(name);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export const idOf = (row: FormerRow): number => Number(row.get('id'));

/** Returns whether a boolean column is true. SQLite stores booleans as 0 and 1. */
export const isSet = (row: FormerRow, name: string): boolean => row.get(name) === true || row.get(name) === 1;

/**
 * Returns the value of a JSON column, which SQLite stores as text. Returns undefined for null. Returns invalid JSON
 * unchanged, as text.
 */
export function jsonOf(row: FormerRow, name: string): unknown {
  const value = row.get(name) ?? undefined;
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) ?? undefined;
  } catch {
    return value;
  }
}

/** Returns the time in a column as ISO 8601. A time without an offset is taken as UTC. Returns undefined for null. */
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
