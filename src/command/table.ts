import { toPrintable } from '../lib/plain-text.ts';

/** Rows of text as aligned columns under their titles; a sentence instead when there are none. */
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

/** Names and values, one a line. */
export function textFields(fields: Record<string, string>): string[] {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields).map(([name, value]) => `${name.padEnd(width)}  ${toPrintable(value)}`);
}

/** An instant for people: ISO 8601 in UTC to the second, or a dash. */
export const textInstant = (at: number | null): string =>
  at === null ? '-' : new Date(at).toISOString().replace(/\.\d+/, '');

/** Cells as one line, for a list that has no end. */
export const textLine = (cells: readonly string[]): string => cells.map(toPrintable).join('  ');
