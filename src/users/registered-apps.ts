import type { Handle } from '../db/handle.ts';
import type { Settings } from '../settings/table.ts';
import { applicationKeys } from './queries.ts';

/**
 * The names that applications are known by: the keys of those that are registered, and APP_NAME. None if no application
 * is registered, because the names then mean only what applications make of them.
 */
export async function listKnownApps(handle: Handle, { APP_NAME }: Pick<Settings, 'APP_NAME'>): Promise<string[]> {
  const keys = (await applicationKeys.all(handle, {})).map(({ key }) => key);
  return keys.length === 0 ? [] : [...new Set([...keys, APP_NAME.toLowerCase()])].sort();
}

/**
 * The names of applications that are probably misspelt. They are valid: an application that asks about sessions itself
 * need not be registered, and others are registered later.
 *
 * @param known from `listKnownApps`
 */
export const unknownApps = (names: readonly string[], known: readonly string[]): string[] =>
  known.length === 0 ? [] : names.filter((name) => !known.includes(name.toLowerCase()));
