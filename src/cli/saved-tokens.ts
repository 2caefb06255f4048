import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import { randomText } from '../lib/random.ts';
import { CommandFailure } from './command-failure.ts';

/** A token that `authsvc login` got, under the server that it is for. */
export interface SavedToken {
  server: string;
  username: string;
  token: string;
}

interface SavedFile {
  /** The server that was signed in to last. */
  current: string | undefined;
  tokens: SavedToken[];
}

/** Where the tokens are, in a person's own folder. */
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
    throw new CommandFailure(`${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return { current: undefined, tokens: [] };
  try {
    const { current, tokens }: Partial<SavedFile> = JSON.parse(text);
    if (Array.isArray(tokens)) return { current, tokens: tokens.filter(isSaved) };
  } catch {
    // Not written by this program: told below.
  }
  throw new CommandFailure(`${path} is damaged. Remove it and sign in again.`);
}

const notSaved = (folder: string, error: unknown): CommandFailure =>
  new CommandFailure(`The token cannot be saved in ${folder}: ${error instanceof Error ? error.message : error}`);

/** Writes a file beside the one of the tokens, readable for its owner only. Gives its path. */
async function writeBeside(folder: string, text: string): Promise<string> {
  const path = `${tokensFile(folder)}.${randomText(6)}`;
  try {
    makeFolder(folder);
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return path;
  } catch (error) {
    await rm(path, { force: true });
    throw notSaved(folder, error);
  }
}

/** Puts the file in place whole, so that no reader meets a half or another's eyes it. */
async function write(folder: string, file: SavedFile): Promise<void> {
  const whole = await writeBeside(folder, `${JSON.stringify(file, null, 2)}\n`);
  try {
    await rename(whole, tokensFile(folder));
  } catch (error) {
    await rm(whole, { force: true });
    throw notSaved(folder, error);
  }
}

/** Throws a CommandFailure where no token could be saved: the file is damaged, or the folder takes none. */
export async function requirePlace(folder: string): Promise<void> {
  await read(folder);
  await rm(await writeBeside(folder, ''));
}

/** The token for a server, or for the one that was signed in to last. Throws a CommandFailure when the file is damaged. */
export async function findSavedToken(folder: string, server: string | undefined): Promise<SavedToken | undefined> {
  const { current, tokens } = await read(folder);
  return tokens.find((saved) => saved.server === (server ?? current));
}

/** Keeps a token in place of any former one for its server, which is the current one from now on. */
export async function saveToken(folder: string, saved: SavedToken): Promise<void> {
  const { tokens } = await read(folder);
  await write(folder, {
    current: saved.server,
    tokens: [...tokens.filter(({ server }) => server !== saved.server), saved],
  });
}

/** Forgets the token for a server; the one that was saved last of the others is the current one then. */
export async function forgetToken(folder: string, server: string): Promise<void> {
  const { current, tokens } = await read(folder);
  const others = tokens.filter((saved) => saved.server !== server);
  if (others.length === 0) return rm(tokensFile(folder), { force: true });
  await write(folder, { current: current === server ? others.at(-1)?.server : current, tokens: others });
}
