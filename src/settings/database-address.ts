import { parseDatabaseUrl } from './parse.ts';
import { SettingsError } from './settings-error.ts';

/** What a command accepts as the address of a database. */
const DATABASE_ADDRESS = 'sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/DATABASE, or env:NAME';

/**
 * Reads the address of a database that a command was given. `env:NAME` is the value of that variable, which keeps the
 * password out of the list of processes.
 *
 * @param option name of the option, for the message
 * @returns the URL, as DATABASE_URL would have it
 * @throws SettingsError that says what was expected, without any part of the address
 */
export function readDatabaseAddress(option: string, text: string, env: NodeJS.ProcessEnv = process.env): string {
  const [, name] = /^env:(.*)$/s.exec(text.trim()) ?? [];
  const url = name === undefined ? text.trim() : env[name]?.trim();
  if (!url) throw new SettingsError(`${option}: the variable ${name ?? ''} is not set.`, [option]);
  try {
    return parseDatabaseUrl(url);
  } catch (error) {
    const expected = error instanceof Error ? error.message : DATABASE_ADDRESS;
    throw new SettingsError(`${option}: expected ${expected}. It also takes env:NAME, the value of that variable.`, [
      option,
    ]);
  }
}
