import process from 'node:process';
import { SettingsError } from './settings-error.ts';

/**
 * Returns the folder in which the program was started.
 *
 * @throws SettingsError if that folder no longer exists
 */
export function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new SettingsError('The folder that this program was started in no longer exists. Change to another folder.');
  }
}
