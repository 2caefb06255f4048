import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { packageRoot } from '../lib/package-root.ts';

/** Media types by file extension. */
export const fileTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'application/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/vnd.microsoft.icon',
  '.webp': 'image/webp',
};

/** A file whose name contains a hash of its content. */
export interface HashedFile {
  name: string;
  content: Buffer;
  type: string;
}

/** The current file for a requested name. The hash in that name may be of another version. */
export interface FoundFile extends HashedFile {
  isSameVersion: boolean;
}

/** A file whose URL never changes. */
export interface PublicFile {
  content: Buffer;
  /** Changes when the content changes (RFC 9110 §8.8.3). */
  etag: string;
}

/** The files that the build has made for browsers. Each is read only once. */
export interface Assets {
  /**
   * Returns the URL path of a style sheet, script or picture. Browsers may cache it forever.
   *
   * @param name as in src/ui, with the extension that the browser sees (`app.css`, `login.js`)
   * @returns an absolute path such as `/authsvc/assets/app.4KX2.css`
   * @throws Error if the build is missing or has no such file
   */
  path(name: string): string;
  /** Finds a file by its name with the hash; undefined for any other name. */
  find(name: string): FoundFile | undefined;
  /**
   * Returns a picture or script that has a fixed URL.
   *
   * @param name the file name, such as `icon.svg` or `main.js`
   * @throws Error if the build has no such file
   */
  publicFile(name: string): PublicFile;
}

const HASH = /\.[0-9A-Z]{8}(?=\.\w+$)/i;

/** Finds a file by a name that contains a hash, whatever the hash is. `find` looks it up by the name without the hash. */
export function findHashed(asked: string, find: (plain: string) => HashedFile | undefined): FoundFile | undefined {
  const file = HASH.test(asked) ? find(asked.replace(HASH, '')) : undefined;
  return file && { ...file, isSameVersion: file.name === asked };
}

function readManifest(folder: string): ReadonlyMap<string, string> {
  const manifest = join(folder, 'manifest.json');
  let text: string;
  try {
    text = readFileSync(manifest, 'utf8');
  } catch {
    throw new Error(`The pages' styles and scripts are not built (${manifest} is missing): build first.`);
  }
  const parsed: Record<string, string> = JSON.parse(text);
  return new Map(Object.entries(parsed));
}

function readPublic(name: string): PublicFile {
  const content = readFileSync(join(packageRoot(), 'dist/ui/public', name));
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return { content, etag };
}

/** Wraps `make` so that it runs only once for each name. */
function once<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const value = made.get(name) ?? make(name);
    made.set(name, value);
    return value;
  };
}

/** Gives access to the files of the build. Each file is read when it is first requested. */
export function createAssets(): Assets {
  const folder = join(packageRoot(), 'dist/ui/assets');
  let manifest: ReadonlyMap<string, string> | undefined;
  const nameOf = (plain: string) => {
    manifest ??= readManifest(folder);
    return manifest.get(plain);
  };
  const contentOf = once((name) => readFileSync(join(folder, name)));
  return {
    path: (plain) => {
      const name = nameOf(plain);
      if (name === undefined) throw new Error(`The build holds no asset named ${plain}: build again.`);
      return `/authsvc/assets/${name}`;
    },
    find: (asked) =>
      findHashed(asked, (plain) => {
        const name = nameOf(plain);
        if (name === undefined) return undefined;
        return { name, content: contentOf(name), type: fileTypes[extname(name)] ?? 'application/octet-stream' };
      }),
    publicFile: once(readPublic),
  };
}
