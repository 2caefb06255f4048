import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describeFileFault } from '../lib/file-fault.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { randomText } from '../lib/random.ts';
import { SettingsError } from './settings-error.ts';
import type { Settings } from './table.ts';

const FILE = 'session-secret';

/** Returns the folder of this service's own files: the folder of the SQLite database, or ./data with PostgreSQL. */
function dataFolder(settings: Settings): string {
  const [, file] = /^sqlite:(.*)$/.exec(settings.DATABASE_URL) ?? [];
  return file ? dirname(resolve(file)) : resolve('data');
}

/**
 * Reads the secret in a file. Returns undefined if the file is missing or empty. Throws if the file exists but cannot
 * be read, because another process may use its secret.
 */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Creates the file with a new secret, unless it exists. If several processes do so at the same time, all use the secret
 * of the first one.
 */
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
    `SESSION_SECRET_KEY is not set, and ${file}, the file with the generated secret, cannot be read or created: ${describeFileFault(error, file)}. Set SESSION_SECRET_KEY, or let this user write there.`,
    ['SESSION_SECRET_KEY'],
  );

/** Returns the path of the file that is used instead of SESSION_SECRET_KEY; undefined if that setting is given. */
export const secretFile = (settings: Settings): string | undefined =>
  settings.SESSION_SECRET_KEY ? undefined : join(dataFolder(settings), FILE);

/**
 * Returns the session secrets from SESSION_SECRET_KEY. Without that setting, the first start creates a secret and
 * stores it in the data folder with mode 0600. Processes that start at the same time use the same secret.
 *
 * @throws SettingsError if that file can be neither read nor created
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
 * Returns the session secrets that exist, without creating one.
 *
 * @throws SettingsError if the file with the secret exists but cannot be read
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
