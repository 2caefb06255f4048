/** Escapes a text for a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Formats a text as code, inside or outside of a table. */
export const code = (text: string): string => `\`${text}\``;

/** Formats several texts as code; a dash if there are none. */
export const codes = (texts: readonly string[]): string => texts.map(code).join(', ') || '–';

/** Creates a table with its titles; no lines if it has no rows. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line), ''];
}

/** Creates a generated page from its title, its source and its lines. */
export function page(title: string, source: string, lines: readonly string[]): string {
  const note = `<!-- Made by \`npm run docs\` from ${source}. Do not edit. -->`;
  const unformatted = '<!-- biome-ignore-all format: written by a program, so that tables are not padded -->';
  const text = [note, unformatted, '', `# ${title}`, '', ...lines].join('\n');
  return `${text.replace(/\n{3,}/g, '\n\n').trimEnd()}\n`;
}

/** Converts a phrase to a sentence. */
export const sentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
