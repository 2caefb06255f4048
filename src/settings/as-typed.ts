import { basename, relative } from 'node:path';
import process from 'node:process';
import { workingFolder } from './working-folder.ts';

interface Start {
  /** The file that Node.js runs. */
  file: string | undefined;
  env: Record<string, string | undefined>;
  folder: string;
}

const thisStart = (): Start => ({ file: process.argv[1], env: process.env, folder: workingFolder() });

/**
 * A command as the user of this process would type it: with npx, with the file of the program, or with its name only.
 */
export function asTyped(command: string, { file = '', env, folder }: Start = thisStart()): string {
  if (env.npm_command === 'exec') return `npx authsvc ${command}`;
  if (basename(file) !== 'main.js') return `authsvc ${command}`;
  const path = relative(folder, file);
  return `node ${/\s/.test(path) ? `"${path}"` : path} ${command}`;
}
