import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../lib/once.ts';
import { packageRoot } from '../lib/package-root.ts';

/**
 * The most common passwords of at least 8 characters, in lower case. The list is a file of the build that is read at
 * first use.
 */
export const commonPasswords = once(
  (): ReadonlySet<string> =>
    new Set(readFileSync(join(packageRoot(), 'dist/users/common-passwords.txt'), 'utf8').trimEnd().split('\n')),
);
