/** Text, escaped for a cell of a table. */
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Text as code, in or out of a table. */
export const code = (text: string): string => `\`${text}\``;

/** Several texts as code, or a dash when there are none. */
export const codes = (texts: readonly string[]): string => texts.map(code).join(', ') || '–';

/** A table with its titles; nothing without rows. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line), ''];
}

/** A generated page: its title, where it comes from, its lines. */
export function page(title: string, source: string, lines: readonly string[]): string {
  const note = `<!-- Made by \`npm run docs\` from ${source}. Do not edit. -->`;
  const unformatted = '<!-- biome-ignore-all format: written by a program, so that tables are not padded -->';
  const text = [note, unformatted, '', `# ${title}`, '', ...lines].join('\n');
  return `${text.replace(/\n{3,}/g, '\n\n').trimEnd()}\n`;
}

/** A phrase as a sentence. */
export const sentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
