import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
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
/** The folders between the caller and the query. */
const INSIDE = /^src\/(db|diagnostics)\//;

/** The stack lines of the callers, for later use. */
export function captureCalls(): string {
  return new Error('where').stack ?? '';
}

function parseFrame(line: string): Frame | undefined {
  const [, name = '', place, row, column] = FRAME.exec(line) ?? [];
  if (!place || place.startsWith('node:')) return undefined;
  const file = place.startsWith('file:') ? fileURLToPath(place) : place;
  return { name, file, line: Number(row), column: Number(column) };
}

interface Bundle {
  map: SourceMap;
  textOf(source: string): string;
}

type BundleOf = (file: string) => Bundle | undefined;

function readBundle(file: string): Bundle | undefined {
  if (!existsSync(`${file}.map`)) return undefined;
  const payload = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
  const sources: string[] = payload.sources;
  const texts: string[] = payload.sourcesContent ?? [];
  return { map: new SourceMap(payload), textOf: (source) => texts[sources.indexOf(source)] ?? '' };
}

/** A bundler adds a number to names that two files share. The source has the original name. */
function ownName(name: string, text: string): string {
  const bare = name.replace(/\d+$/, '');
  return text.includes(name) || !text.includes(bare) ? name : bare;
}

function toSource(frame: Frame, bundleOf: BundleOf): Frame {
  const bundle = frame.file.endsWith('.js') ? bundleOf(frame.file) : undefined;
  const entry = bundle?.map.findEntry(frame.line - 1, frame.column - 1);
  if (!bundle || !entry || !('originalSource' in entry)) return frame;
  return {
    name: ownName(frame.name, bundle.textOf(entry.originalSource)),
    file: resolve(dirname(frame.file), entry.originalSource),
    line: entry.originalLine + 1,
    column: entry.originalColumn + 1,
  };
}

/**
 * Creates the function that finds, in the lines of `captureCalls`, the place in our own source that ran a query.
 *
 * The program runs as a bundle. Its source maps are read when a person opens the query monitor, so a process without it
 * never reads them.
 *
 * @returns a function whose result holds only nulls if none of the lines is ours
 */
export function createFindCallsite(): (calls: string) => Callsite {
  const bundles = new Map<string, Bundle | undefined>();
  const bundleOf: BundleOf = (file) => {
    if (!bundles.has(file)) bundles.set(file, readBundle(file));
    return bundles.get(file);
  };
  return (calls) => {
    const root = packageRoot();
    for (const line of calls.split('\n')) {
      const frame = parseFrame(line);
      if (!frame) continue;
      const source = toSource(frame, bundleOf);
      const file = relative(root, source.file).replaceAll('\\', '/');
      if (!file.startsWith('src/') || INSIDE.test(file)) continue;
      return { function: source.name || '(anonymous)', file, line: source.line, column: source.column };
    }
    return unknown;
  };
}
