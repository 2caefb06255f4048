import { readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CommandFailure } from '../command/command-failure.ts';
import { describeFileFault } from '../lib/file-fault.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { randomText } from '../lib/random.ts';

/** A token from `authsvc login`, with the server that issued it. */
export interface SavedToken {
  server: string;
  username: string;
  token: string;
}

interface SavedFile {
  /** The server of the most recent sign-in. */
  current: string | undefined;
  tokens: SavedToken[];
}

/** Returns the path of the file that contains a person's saved tokens. */
export const tokensFile = (folder: string): string => join(folder, 'tokens.json');

const isSaved = (value: unknown): value is SavedToken =>
  typeof value === 'object' &&
  value !== null &&
  ['server', 'username', 'token'].every((key) => typeof Reflect.get(value, key) === 'string') &&
  URL.canParse(String(Reflect.get(value, 'server')));

async function read(folder: string): Promise<SavedFile> {
  const path = tokensFile(folder);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandFailure(`${path} cannot be read: ${describeFileFault(error, path)}.`);
  });
  if (text === undefined) return { current: undefined, tokens: [] };
  try {
    const { current, tokens }: Partial<SavedFile> = JSON.parse(text);
    if (Array.isArray(tokens)) return { current, tokens: tokens.filter(isSaved) };
  } catch {
    // This program did not write the file. The error is thrown below.
  }
  throw new CommandFailure(`${path} is damaged. Remove it and sign in again.`);
}

/** Returns the path, or the target of the path if it is a symbolic link. The target may not exist yet. */
async function linkedFile(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const target = await readlink(path).catch(() => path);
    return resolve(dirname(path), target);
  });
}

/** Writes a temporary file, readable only by its owner, next to the tokens file. Returns its path. */
async function writeBeside(target: string, text: string): Promise<string> {
  const path = `${target}.${randomText(6)}`;
  try {
    makeFolder(dirname(target));
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw new CommandFailure(`The token cannot be saved in ${dirname(target)}: ${describeFileFault(error)}.`);
  }
}

/** Replaces the file in one step, so that no reader sees half of it. A symbolic link is kept: only its target changes. */
async function write(folder: string, file: SavedFile): Promise<void> {
  const target = await linkedFile(tokensFile(folder));
  const whole = await writeBeside(target, `${JSON.stringify(file, null, 2)}\n`);
  try {
    await rename(whole, target);
  } catch (error) {
    await rm(whole, { force: true });
    throw new CommandFailure(`The token cannot be saved as ${target}: ${describeFileFault(error)}.`);
  }
}

/**
 * Checks that a token can be saved.
 *
 * @throws CommandFailure if the file is damaged or its folder is not writable
 */
export async function requirePlace(folder: string): Promise<void> {
  await read(folder);
  await rm(await writeBeside(await linkedFile(tokensFile(folder)), ''));
}

/**
 * Finds the token for a server. Without `server`, finds the token of the most recent sign-in.
 *
 * @throws CommandFailure if the file is damaged
 */
export async function findSavedToken(folder: string, server: string | undefined): Promise<SavedToken | undefined> {
  const { current, tokens } = await read(folder);
  return tokens.find((saved) => saved.server === (server ?? current));
}

/** Saves a token, replaces an earlier one for the same server, and makes that server the current one. */
export async function saveToken(folder: string, saved: SavedToken): Promise<void> {
  const { tokens } = await read(folder);
  await write(folder, {
    current: saved.server,
    tokens: [...tokens.filter(({ server }) => server !== saved.server), saved],
  });
}

/**
 * Removes the token for a server. If that server was the current one, the server with the most recently saved of the
 * remaining tokens becomes current.
 */
export async function forgetToken(folder: string, server: string): Promise<void> {
  const { current, tokens } = await read(folder);
  const others = tokens.filter((saved) => saved.server !== server);
  if (others.length === 0) return rm(await linkedFile(tokensFile(folder)), { force: true });
  await write(folder, { current: current === server ? others.at(-1)?.server : current, tokens: others });
}
