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

/** The absolute path of the folder that holds the built styles and scripts. */
export function assetsFolder(): string {
  return join(packageRoot(), 'dist/ui/assets');
}

let icon: string | undefined;

/** The icon of the service, an SVG document. */
export function iconSvg(): string {
  icon ??= readFileSync(join(packageRoot(), 'dist/ui/images/icon.svg'), 'utf8');
  return icon;
}
