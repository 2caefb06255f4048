import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../lib/package-root.ts';

let known: ReadonlySet<string> | undefined;

/** The most common passwords of at least 8 characters, in lower case; read from the built list at first use. */
export function commonPasswords(): ReadonlySet<string> {
  known ??= new Set(readFileSync(join(packageRoot(), 'dist/users/common-passwords.txt'), 'utf8').trimEnd().split('\n'));
  return known;
}
