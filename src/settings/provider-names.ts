import type { Parse } from './parse.ts';

/** The providers that have their own settings in the table. */
export const builtInProviderNames = ['codehost', 'websso'] as const;

/** The settings that turn them on, in the same order. */
export const providerSwitches = ['CODEHOST_LOGIN_ENABLED', 'WEBSSO_LOGIN_ENABLED'] as const;

/** The providers of mbkauthe, each with the one that has taken its place. */
export const formerProviders = [
  { former: 'github', name: 'codehost' },
  { former: 'google', name: 'websso' },
] as const;

/**
 * The names that no provider in PROVIDERS may have: those of routes under /authsvc/api/, including the built-in
 * providers, and those of other ways of signing in.
 */
export const takenProviderNames: readonly string[] = [
  ...builtInProviderNames,
  '2fa',
  'account',
  'account-sessions',
  'admin',
  'apps',
  'authz',
  'email',
  'forgot',
  'login',
  'logout',
  'logout-all',
  'me',
  'passkey',
  'password',
  'probe',
  'switch-session',
  'verify-2fa',
  'welcome',
];

/** A name cannot begin with a hyphen, because the command line would read it as an option. */
const NAME_SHAPE = /^(?=.{2,32}$)[a-z0-9]+(?:-+[a-z0-9]+)*$/;

/** The names in PROVIDERS as written, valid or not. */
export const splitNames = (text: string): string[] => text.split(',').map((name) => name.trim());

/** The names of providers. Each has its own settings. */
export const parseProviderNames: Parse<string[]> = (text) => {
  const names = splitNames(text);
  if (!names.every((name) => NAME_SHAPE.test(name)))
    throw new Error('names of 2 to 32 of a-z, 0-9 and - (neither first nor last), separated by commas');
  const taken = takenProviderNames.filter((name) => names.includes(name));
  if (taken.length > 0) throw new Error(`names that are not in use: ${taken.join(', ')} cannot be taken`);
  if (new Set(names).size < names.length) throw new Error('each name once');
  return names;
};
