import { parseDatabaseUrl } from './parse.ts';
import { SettingsError } from './settings-error.ts';

/** The forms in which a command accepts the address of a database, for messages. */
const DATABASE_ADDRESS = 'sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/DATABASE, or env:NAME';

/**
 * Parses a database address that was given to a command. `env:NAME` means the value of the variable NAME, so that the
 * password does not appear in the list of processes.
 *
 * @param option name of the option, for the message
 * @returns a URL in the form of DATABASE_URL
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
