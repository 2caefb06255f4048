import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../lib/package-root.ts';

/** A position in the source of this program. */
export interface Callsite {
  function: string | null;
  /** Path relative to the package, such as `src/…`. */
  file: string | null;
  line: number | null;
  column: number | null;
}

interface Frame {
  name: string;
  file: string;
  line: number;
  column: number;
}

const unknown: Callsite = { function: null, file: null, line: null, column: null };
const FRAME = /^\s*at (?:async )?(?:(.+?) \()?(.+?):(\d+):(\d+)\)?$/;
/** Folders whose lines in the stack are skipped, because their code is called between the caller and the database driver. */
const INSIDE = /^src\/(db|diagnostics)\//;

function parseFrame(line: string): Frame | undefined {
  const [, name = '', place, row, column] = FRAME.exec(line) ?? [];
  if (!place || place.startsWith('node:')) return undefined;
  const file = place.startsWith('file:') ? fileURLToPath(place) : place;
  return { name, file, line: Number(row), column: Number(column) };
}

/**
 * Finds the position in our own source that made a query, from the stack of an error. Source maps are enabled, so the lines
 * refer to source files and not to the bundle.
 *
 * @returns all fields null if no line of the stack is in our source
 */
export function findCallsite(calls: string): Callsite {
  const root = packageRoot();
  for (const line of calls.split('\n')) {
    const frame = parseFrame(line);
    if (!frame) continue;
    const file = relative(root, frame.file).replaceAll('\\', '/');
    if (!file.startsWith('src/') || INSIDE.test(file)) continue;
    return { function: frame.name || '(anonymous)', file, line: frame.line, column: frame.column };
  }
  return unknown;
}
