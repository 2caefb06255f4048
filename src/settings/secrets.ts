import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeFolder } from '../kit/make-folder.ts';
import { randomText } from '../kit/random.ts';
import type { Settings } from './table.ts';

const FILE = 'session-secret';

/** The folder of this service's own files: that of the SQLite database, else ./data. */
function dataFolder(settings: Settings): string {
  const [, file] = /^sqlite:(.*)$/.exec(settings.DATABASE_URL) ?? [];
  return file ? dirname(resolve(file)) : resolve('data');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * The secrets that seal cookies: those of SESSION_SECRET_KEY, else one that is made at the first start and kept in
 * the data folder with mode 0600. Processes that start at once agree on one.
 */
export function sessionSecrets(settings: Settings): string[] {
  if (settings.SESSION_SECRET_KEY) return settings.SESSION_SECRET_KEY;
  const folder = dataFolder(settings);
  const file = join(folder, FILE);
  const kept = read(file);
  if (kept) return [kept];
  makeFolder(folder);
  const draft = join(folder, `${FILE}.${randomText(6)}`);
  writeFileSync(draft, `${randomText(48)}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch {
    const other = read(file);
    if (!other) renameSync(draft, file);
  }
  rmSync(draft, { force: true });
  const made = read(file);
  if (!made) throw new Error(`${file} cannot be read`);
  return [made];
}
