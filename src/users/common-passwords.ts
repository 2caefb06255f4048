import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../lib/package-root.ts';

let known: ReadonlySet<string> | undefined;

/** The commonest passwords of at least 8 characters, in small letters; read from the built list when first asked. */
export function commonPasswords(): ReadonlySet<string> {
  known ??= new Set(readFileSync(join(packageRoot(), 'dist/users/common-passwords.txt'), 'utf8').trimEnd().split('\n'));
  return known;
}
