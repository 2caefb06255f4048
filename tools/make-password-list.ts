// Writes src/users/common-passwords.txt: the most common passwords that are long enough to be set, from the word lists of
// zxcvbn-ts. Run it after an update of that package: npx tsx tools/make-password-list.ts
import { writeFileSync } from 'node:fs';
import { dictionary } from '@zxcvbn-ts/language-common';

const MIN_CHARACTERS = 8;
const MAX_NAMED = 10_000;
const words = dictionary['passwords-common'].map((word) => String(word).toLowerCase());
const kept = [...new Set(words)]
  .filter((word) => [...word].length >= MIN_CHARACTERS && !/\s/.test(word))
  .slice(0, MAX_NAMED);
writeFileSync(new URL('../src/users/common-passwords.txt', import.meta.url), `${kept.join('\n')}\n`);
process.stdout.write(`${kept.length} passwords\n`);
