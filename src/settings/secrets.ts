import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describeFileFault } from '../lib/file-fault.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { randomText } from '../lib/random.ts';
import { SettingsError } from './settings-error.ts';
import type { Settings } from './table.ts';

const FILE = 'session-secret';

/** The folder of this service's own files: that of the SQLite database, else ./data. */
function dataFolder(settings: Settings): string {
  const [, file] = /^sqlite:(.*)$/.exec(settings.DATABASE_URL) ?? [];
  return file ? dirname(resolve(file)) : resolve('data');
}

/** The secret in a file; undefined where there is none. Throws where it cannot be read: it may be in use. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Puts a new secret where there is none. Of processes that do so at once one is first, and all agree on its secret. */
function make(file: string): void {
  makeFolder(dirname(file));
  const draft = `${file}.${randomText(6)}`;
  try {
    writeFileSync(draft, `${randomText(48)}\n`, { mode: 0o600, flush: true });
    try {
      linkSync(draft, file);
    } catch {
      if (!read(file)) renameSync(draft, file);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function keptIn(file: string): string {
  const kept = read(file);
  if (kept) return kept;
  make(file);
  const made = read(file);
  if (!made) throw new Error('it is empty');
  return made;
}

const unusable = (file: string, error: unknown): SettingsError =>
  new SettingsError(
    `SESSION_SECRET_KEY is not given, and ${file}, which stands in for it, cannot be read or made: ${describeFileFault(error, file)}. Set SESSION_SECRET_KEY, or let this user write there.`,
    ['SESSION_SECRET_KEY'],
  );

/** The file that stands in for SESSION_SECRET_KEY; undefined if that is set. */
export const secretFile = (settings: Settings): string | undefined =>
  settings.SESSION_SECRET_KEY ? undefined : join(dataFolder(settings), FILE);

/**
 * Returns the session secrets: those of SESSION_SECRET_KEY, else one that is made at the first start and kept in the
 * data folder with mode 0600. Processes that start at once agree on one.
 *
 * @throws SettingsError if that file can be neither read nor made
 */
export function sessionSecrets(settings: Settings): string[] {
  if (settings.SESSION_SECRET_KEY) return settings.SESSION_SECRET_KEY;
  const file = join(dataFolder(settings), FILE);
  try {
    return [keptIn(file)];
  } catch (error) {
    throw unusable(file, error);
  }
}

/**
 * Returns the session secrets that exist, and makes none.
 *
 * @throws SettingsError if the file that holds one cannot be read
 */
export function existingSecrets(settings: Settings): string[] {
  if (settings.SESSION_SECRET_KEY) return settings.SESSION_SECRET_KEY;
  const file = join(dataFolder(settings), FILE);
  try {
    const kept = read(file);
    return kept ? [kept] : [];
  } catch (error) {
    throw unusable(file, error);
  }
}
