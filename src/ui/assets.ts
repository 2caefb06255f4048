import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../kit/package-root.ts';

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
  names ??= readManifest();
  const file = names.get(name);
  if (file === undefined) throw new Error(`The build holds no asset named ${name}: build again.`);
  return `/authsvc/assets/${file}`;
}

const assetsFolder = (): string => join(packageRoot(), 'dist/ui/assets');

const contents = new Map<string, Buffer>();

/** What a file of the build holds that pages load, by the name with the hash; read once. Undefined for any other. */
export function builtAsset(file: string): Buffer | undefined {
  names ??= readManifest();
  if (![...names.values()].includes(file)) return undefined;
  const content = contents.get(file) ?? readFileSync(join(assetsFolder(), file));
  contents.set(file, content);
  return content;
}

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
