import { readFileSync } from 'node:fs';

let known: ReadonlySet<string> | undefined;

/** The commonest passwords of at least 8 characters, in small letters; read from the list beside this file when first asked. */
export function commonPasswords(): ReadonlySet<string> {
  known ??= new Set(
    readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n'),
  );
  return known;
}
