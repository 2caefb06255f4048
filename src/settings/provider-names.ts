import type { Parse } from './parse.ts';

/** The providers that have settings of their own in the table. */
export const builtInProviderNames = ['codehost', 'websso'] as const;

/** The settings that turn them on, in the same order. */
export const providerSwitches = ['CODEHOST_LOGIN_ENABLED', 'WEBSSO_LOGIN_ENABLED'] as const;

/**
 * The names that no provider in PROVIDERS may have: those that routes under /authsvc/api/ use, those of the built-in
 * providers among them, and those that other ways of signing in have.
 */
export const takenProviderNames: readonly string[] = [
  ...builtInProviderNames,
  'account',
  'account-sessions',
  'admin',
  'apps',
  'authz',
  'forgot',
  'login',
  'logout',
  'logout-all',
  'me',
  'passkey',
  'password',
  'switch-session',
  'verify-2fa',
  'welcome',
];

/** The command line would take a name that begins with a hyphen for an option. */
const NAME_SHAPE = /^(?=.{2,32}$)[a-z0-9]+(?:-+[a-z0-9]+)*$/;

/** The names of PROVIDERS as they are written, right or wrong. */
export const splitNames = (text: string): string[] => text.split(',').map((name) => name.trim());

/** The names of providers, each of which has settings of its own. */
export const parseProviderNames: Parse<string[]> = (text) => {
  const names = splitNames(text);
  if (!names.every((name) => NAME_SHAPE.test(name)))
    throw new Error('names of 2 to 32 of a-z, 0-9 and - (neither first nor last), separated by commas');
  const taken = takenProviderNames.filter((name) => names.includes(name));
  if (taken.length > 0) throw new Error(`names that are not in use: ${taken.join(', ')} cannot be taken`);
  if (new Set(names).size < names.length) throw new Error('each name once');
  return names;
};
