import { isUsable, type ProviderSettings } from '../../../settings/identity-providers.ts';
import { builtInProviderNames } from '../../../settings/provider-names.ts';
import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface LoginPage {
  /** The usable providers in the order of their buttons, and whether the last sign-in used them. */
  providers: { name: string; wasLast: boolean }[];
  /** Where to go after the sign-in; already checked. */
  customURL: string;
  /** The name of the registered application there; undefined: none, or not one alone. */
  application: string | undefined;
  userLoggedIn: boolean;
  /** Whether the person is signed in and wants to add an account. */
  adding: boolean;
  /** Whether the person is signed in and has to prove it once more. */
  again: boolean;
  /** The initial value of the username field. */
  hint: string;
  username: string | undefined;
  fullName: string | undefined;
  hasImage: boolean;
  csrfToken: string;
  /** Why the form was refused, and the field that is to blame; undefined: it was not. */
  refusal: (Refusal & { field: 'username' | 'password' | undefined }) | undefined;
  /** Why a sign-in that began here has ended: too many wrong codes, or too much time. */
  beginAgain: 'guesses' | 'time' | undefined;
  /** `password`, `passkey`, or the name of a provider. */
  lastLoginMethod: string | undefined;
  lastLoginPassword: boolean;
  /** Whether users can sign in by passkeys. */
  hasPasskeys: boolean;
  lastLoginPasskey: boolean;
  /** Whether people can request a mail with a link to choose a new password. */
  hasMail: boolean;
  /** The two built-in entries of `providers`, for templates from before there were others. */
  codehostLoginEnabled: boolean;
  webssoLoginEnabled: boolean;
  lastLoginCodehost: boolean;
  lastLoginWebsso: boolean;
}

export const loginPage = definePage({
  name: 'login',
  texts: { en, de },
  script: {
    ids: ['login', 'username', 'password', 'submit', 'form-error'],
    isNeeded: true,
    showsRefusals: true,
  },
  samples,
});

interface LoginPageFacts
  extends Pick<
    LoginPage,
    'customURL' | 'application' | 'csrfToken' | 'refusal' | 'beginAgain' | 'hasMail' | 'hasPasskeys'
  > {
  /** Whether the person is asked to sign in again. */
  again: boolean;
  /** Untrusted. */
  hint: unknown;
  /** Every provider, usable or not. */
  providers: readonly ProviderSettings[];
  /** The person who is signed in. */
  person: { username: string; fullName: string; image: string } | undefined;
  /** Whether the person asks to add an account. */
  adding: boolean;
  /** From the browser's cookie, untrusted. */
  lastMethod: string | undefined;
}

/** The maximum length of the field. */
const MAX_NAME = 255;

/** The data of the login page. A provider without credentials has no button. */
export function loginPageData({ person, lastMethod, providers, hint, ...facts }: LoginPageFacts): LoginPage {
  const [codehost, websso] = builtInProviderNames;
  const usable = providers.filter(isUsable).map(({ name }) => name);
  const again = facts.again && person !== undefined;
  const method = ['password', 'passkey', ...providers.map(({ name }) => name)].find((known) => known === lastMethod);
  return {
    ...facts,
    username: person?.username,
    fullName: person?.fullName,
    hasImage: Boolean(person?.image),
    userLoggedIn: person !== undefined,
    adding: facts.adding && person !== undefined,
    again,
    hint: typeof hint === 'string' ? hint.slice(0, MAX_NAME) : again ? (person?.username ?? '') : '',
    providers: usable.map((name) => ({ name, wasLast: name === method })),
    lastLoginMethod: method,
    lastLoginPassword: method === 'password',
    lastLoginPasskey: method === 'passkey',
    codehostLoginEnabled: usable.includes(codehost),
    webssoLoginEnabled: usable.includes(websso),
    lastLoginCodehost: method === codehost,
    lastLoginWebsso: method === websso,
  };
}
