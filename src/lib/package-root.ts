import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from './once.ts';

/**
 * Returns the folder with this program's package.json. The code may run from src/, dist/, or an installed package.
 *
 * @throws Error if the code was copied out of its package
 */
export const packageRoot = once((): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('the files of this program are incomplete: there is no package.json');
    folder = above;
  }
  return folder;
});

function readPackage(...keys: ['name'] | ['version'] | ['engines', 'node']): string {
  let value: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  for (const key of keys) value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  if (typeof value === 'string') return value;
  throw new Error(`the files of this program are incomplete: package.json says no ${keys.join('.')}`);
}

/** The version of this program in its package.json. */
export const programVersion = once(() => readPackage('version'));

/** Returns the name under which this program is published. */
export function packageName(): string {
  return readPackage('name');
}

/** Returns the oldest version of Node.js that this program supports. */
export function oldestNode(): string {
  return readPackage('engines', 'node').replace('>=', '');
}
