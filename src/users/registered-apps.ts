import type { Handle } from '../db/handle.ts';
import type { Settings } from '../settings/table.ts';
import { applicationKeys } from './queries.ts';

/**
 * Lists the names of the known applications: the keys of registered applications, and APP_NAME. Returns an empty list if
 * no application is registered, because then authsvc cannot know which names the applications use.
 */
export async function listKnownApps(handle: Handle, { APP_NAME }: Pick<Settings, 'APP_NAME'>): Promise<string[]> {
  const keys = (await applicationKeys.all(handle, {})).map(({ key }) => key);
  return keys.length === 0 ? [] : [...new Set([...keys, APP_NAME.toLowerCase()])].sort();
}

/**
 * Returns the names of applications that are probably misspelled. Such names are still valid: an application that checks
 * sessions itself need not be registered, and an application can be registered later.
 *
 * @param known from `listKnownApps`
 */
export const unknownApps = (names: readonly string[], known: readonly string[]): string[] =>
  known.length === 0 ? [] : names.filter((name) => !known.includes(name.toLowerCase()));
