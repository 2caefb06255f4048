import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { once } from './once.ts';

/**
 * The folder of this program's package.json, wherever in it the code runs from: src/, dist/, or an installed package.
 *
 * @throws Error when the program was torn out of its package
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

/** The version of this program, as its package.json says. */
export const programVersion = once(() => readPackage('version'));

/** The name under which this program is published. */
export function packageName(): string {
  return readPackage('name');
}

/** The oldest version of Node.js that this program runs on. */
export function oldestNode(): string {
  return readPackage('engines', 'node').replace('>=', '');
}
