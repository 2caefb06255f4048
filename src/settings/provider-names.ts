import type { Parse } from './parse.ts';

/** The providers that have their own rows in the settings table. */
export const builtInProviderNames = ['codehost', 'websso'] as const;

/** The settings that enable the built-in providers, in the same order as the names. */
export const providerSwitches = ['CODEHOST_LOGIN_ENABLED', 'WEBSSO_LOGIN_ENABLED'] as const;

/** The providers of mbkauthe, each with the built-in provider that replaces it. */
export const formerProviders = [
  { former: 'github', name: 'codehost' },
  { former: 'google', name: 'websso' },
] as const;

/**
 * The names that no provider in PROVIDERS may have. They are the names of routes under /authsvc/api/, including those
 * of the built-in providers, and the names of other sign-in methods.
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

/** A name cannot begin with a hyphen, because the command line would parse it as an option. */
const NAME_SHAPE = /^(?=.{2,32}$)[a-z0-9]+(?:-+[a-z0-9]+)*$/;

/** Splits the text of PROVIDERS into its names, valid or not. */
export const splitNames = (text: string): string[] => text.split(',').map((name) => name.trim());

/** Parses the names of the providers that the operator adds. */
export const parseProviderNames: Parse<string[]> = (text) => {
  const names = splitNames(text);
  if (!names.every((name) => NAME_SHAPE.test(name)))
    throw new Error('names of 2 to 32 of a-z, 0-9 and - (neither first nor last), separated by commas');
  const taken = takenProviderNames.filter((name) => names.includes(name));
  if (taken.length > 0) throw new Error(`names other than ${taken.join(', ')}, which the service uses itself`);
  if (new Set(names).size < names.length) throw new Error('each name only once');
  return names;
};
