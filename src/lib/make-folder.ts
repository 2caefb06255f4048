import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and any missing folders above it, accessible only to their owner.
 *
 * It creates them one by one and not with the option `recursive`. With that option, `mkdir` of Node.js 20 to 24
 * never returns if the system reports that an existing parent does not exist, as it does below /proc.
 */
export function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
