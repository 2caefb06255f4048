import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../lib/package-root.ts';

/** A place in the source of this program. */
export interface Callsite {
  function: string | null;
  /** Relative to the package: `src/…`. */
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
/** Between the place that asks and the moment of the query lie these folders. */
const INSIDE = /^src\/(db|diagnostics)\//;

function parseFrame(line: string): Frame | undefined {
  const [, name = '', place, row, column] = FRAME.exec(line) ?? [];
  if (!place || place.startsWith('node:')) return undefined;
  const file = place.startsWith('file:') ? fileURLToPath(place) : place;
  return { name, file, line: Number(row), column: Number(column) };
}

/**
 * Finds, in the stack of an error, the place in our own source that made a query. Source maps are on, so the lines
 * name sources and not the bundle.
 *
 * @returns only nulls if none of the lines is ours
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
