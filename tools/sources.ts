// Reads TypeScript sources for the checkers: their text, their syntax tree and their imports.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { type ParseResult, parseSync, Visitor } from 'oxc-parser';

/** One import, re-export, dynamic import or `import('…')` type. */
export interface ImportedModule {
  specifier: string;
  /** The imported names; `*` means all of them. */
  names: string[];
  typeOnly: boolean;
  line: number;
}

/** The folder of the client's sources. */
export const CLIENT = 'packages/client/src';

/** One source file. Both paths use `/`. */
export interface Source {
  /** The path relative to the project. */
  file: string;
  /** The path relative to the folder of the sources. */
  path: string;
  text: string;
  program: ParseResult['program'];
  imports: ImportedModule[];
  lineAt(offset: number): number;
}

interface Named {
  importName: { name: string | null };
  isType: boolean;
}

function makeLineAt(text: string): (offset: number) => number {
  return (offset) => text.slice(0, offset).split('\n').length;
}

function describe(specifier: string, entries: readonly Named[], line: number): ImportedModule {
  const typeOnly = entries.length > 0 && entries.every((entry) => entry.isType);
  return { specifier, names: entries.map((entry) => entry.importName.name ?? '*'), typeOnly, line };
}

function listImports({ module, program }: ParseResult, lineAt: (offset: number) => number): ImportedModule[] {
  const imports = module.staticImports.map((one) => describe(one.moduleRequest.value, one.entries, lineAt(one.start)));
  for (const { start, entries } of module.staticExports) {
    const specifier = entries.find((entry) => entry.moduleRequest)?.moduleRequest?.value;
    if (specifier !== undefined) imports.push(describe(specifier, entries, lineAt(start)));
  }
  const add = (specifier: string, typeOnly: boolean, offset: number) =>
    imports.push({ specifier, names: ['*'], typeOnly, line: lineAt(offset) });
  new Visitor({
    ImportExpression({ source, start }) {
      if (source.type === 'Literal' && typeof source.value === 'string') add(source.value, false, start);
    },
    TSImportType({ source, start }) {
      add(source.value, true, start);
    },
  }).visit(program);
  return imports;
}

/**
 * Parses one file.
 *
 * @throws Error with path and message if it is not valid TypeScript
 */
function parseSource(folder: string, path: string, text: string): Source {
  const file = `${folder}/${path}`;
  const parsed = parseSync(path, text);
  const [error] = parsed.errors;
  if (error) throw new Error(`${file} cannot be parsed: ${error.message}`);
  const lineAt = makeLineAt(text);
  return { file, path, text, program: parsed.program, imports: listImports(parsed, lineAt), lineAt };
}

/** Reads every TypeScript file below a folder of the project, in the order of their paths. */
export function readSources(project: string, folder: string): Source[] {
  const root = join(project, folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join(posix.sep))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => parseSource(folder, path, readFileSync(join(root, path), 'utf8')));
}
