import process from 'node:process';
import { SettingsError } from './settings-error.ts';

/**
 * The folder that the program was started in.
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
