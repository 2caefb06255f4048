import { readFileSync } from 'node:fs';

/**
 * Reads the pepper of a former mbkauthe service from a file or, without a file, from MBKAUTHE_PEPPER.
 *
 * @returns undefined if there is no pepper or it is empty
 * @throws the error of the file system if the file cannot be read
 */
export function readFormerPepper(file: string | undefined, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { MBKAUTHE_PEPPER: given } = env;
  const text = file === undefined ? given : readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  return text === '' ? undefined : text;
}
