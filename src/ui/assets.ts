import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packageRoot } from '../lib/package-root.ts';

const manifestFile = (): string => join(assetsFolder(), 'manifest.json');

let names: ReadonlyMap<string, string> | undefined;

function readManifest(): ReadonlyMap<string, string> {
  let text: string;
  try {
    text = readFileSync(manifestFile(), 'utf8');
  } catch {
    throw new Error(`The pages' styles and scripts are not built (${manifestFile()} is missing): build first.`);
  }
  const parsed: Record<string, string> = JSON.parse(text);
  return new Map(Object.entries(parsed));
}

/**
 * The address of a built style sheet or script, under the name that carries its content's hash.
 *
 * Needs   name: as in src/ui, with the ending the browser sees (`app.css`, `login.js`).
 * Gives   an absolute path such as `/authsvc/assets/app.4KX2.css`; it may be cached for ever.
 * Throws  Error when the build is missing or holds no such name.
 */
export function assetPath(name: string): string {
  const file = builtName(name);
  if (file === undefined) throw new Error(`The build holds no asset named ${name}: build again.`);
  return `/authsvc/assets/${file}`;
}

const assetsFolder = (): string => join(packageRoot(), 'dist/ui/assets');

/** Media types by the ending of a name. */
export const fileTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/vnd.microsoft.icon',
  '.webp': 'image/webp',
};

/** A file whose name carries a hash of its content. */
export interface HashedFile {
  name: string;
  content: Buffer;
  type: string;
}

/** A file as it is here, found by a name whose hash may be that of another version. */
export interface FoundFile extends HashedFile {
  isSameVersion: boolean;
}

const HASH = /\.[0-9A-Z]{8}(?=\.\w+$)/i;

/** Finds a file by a name with a hash, whichever that is; `find` knows the files by their names without. */
export function findHashed(asked: string, find: (plain: string) => HashedFile | undefined): FoundFile | undefined {
  const file = HASH.test(asked) ? find(asked.replace(HASH, '')) : undefined;
  return file && { ...file, isSameVersion: file.name === asked };
}

function builtName(plain: string): string | undefined {
  names ??= readManifest();
  return names.get(plain);
}

const builtFiles = new Map<string, HashedFile>();

function builtFile(plain: string): HashedFile | undefined {
  const name = builtName(plain);
  const known = builtFiles.get(plain);
  if (known || name === undefined) return known;
  const content = readFileSync(join(assetsFolder(), name));
  const file = { name, content, type: fileTypes[extname(name)] ?? 'application/octet-stream' };
  builtFiles.set(plain, file);
  return file;
}

/** A file of the build that pages load, by the name with the hash; read once. Undefined for any other name. */
export const builtAsset = (name: string): FoundFile | undefined => findHashed(name, builtFile);

/** A file that is served under one name for ever. */
export interface PublicFile {
  content: Buffer;
  /** Changes with the content (RFC 9110 §8.8.3). */
  etag: string;
}

const publicFiles = new Map<string, PublicFile>();

/**
 * A picture or script of the build that has an address of its own; read once.
 *
 * Needs   name: of the file, such as `icon.svg` or `main.js`.
 * Throws  Error when the build holds no such file.
 */
export function publicFile(name: string): PublicFile {
  const known = publicFiles.get(name);
  if (known) return known;
  const content = readFileSync(join(packageRoot(), 'dist/ui/public', name));
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const file = { content, etag };
  publicFiles.set(name, file);
  return file;
}
