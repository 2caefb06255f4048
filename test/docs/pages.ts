import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';

/** The folder of the project. */
export const project = join(import.meta.dirname, '../..');

export const read = (path: string): string => readFileSync(join(project, path), 'utf8');

/** Lists every page of the documentation, as a path relative to the project. */
export function documentationPages(): string[] {
  const inRoot = readdirSync(project).filter((name) => name.endsWith('.md'));
  const inDocs = readdirSync(join(project, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) =>
      relative(project, join(project, 'docs', path))
        .split(sep)
        .join(posix.sep),
    );
  return [...inRoot, ...inDocs, 'packages/client/README.md'].sort();
}
