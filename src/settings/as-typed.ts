import { basename, relative } from 'node:path';
import process from 'node:process';
import { workingFolder } from './working-folder.ts';

interface Start {
  /** The script that Node.js runs. */
  file: string | undefined;
  env: Record<string, string | undefined>;
  folder: string;
}

const thisStart = (): Start => ({ file: process.argv[1], env: process.env, folder: workingFolder() });

/**
 * Returns a command in the form in which the user of this process would type it: with `npx`, with the path of the
 * script, or with the name of the program alone.
 */
export function asTyped(command: string, { file = '', env, folder }: Start = thisStart()): string {
  if (env.npm_command === 'exec') return `npx authsvc ${command}`;
  if (basename(file) !== 'main.js') return `authsvc ${command}`;
  const path = relative(folder, file);
  return `node ${/\s/.test(path) ? `"${path}"` : path} ${command}`;
}
