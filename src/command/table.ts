import { toPrintable } from '../lib/plain-text.ts';

/** Returns rows of text as aligned columns below their titles, or the sentence `empty` if there are no rows. */
export function textTable(titles: readonly string[], rows: readonly (readonly string[])[], empty: string): string[] {
  if (rows.length === 0) return [empty];
  const all = [titles, ...rows.map((row) => row.map(toPrintable))];
  const widths = titles.map((_title, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Returns names and values, one pair in each line. */
export function textFields(fields: Record<string, string>): string[] {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields).map(([name, value]) => `${name.padEnd(width)}  ${toPrintable(value)}`);
}

/** Returns an instant in ISO 8601, UTC, to the second, or a dash for null. */
export const textInstant = (at: number | null): string =>
  at === null ? '-' : new Date(at).toISOString().replace(/\.\d+/, '');

/** Returns cells as one line without alignment, for a list whose end is not known. */
export const textLine = (cells: readonly string[]): string => cells.map(toPrintable).join('  ');
