import { isUsable, type ProviderSettings } from '../../../settings/identity-providers.ts';
import { builtInProviderNames } from '../../../settings/provider-names.ts';
import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface LoginPage {
  /**
   * The usable providers in the order of their buttons. `wasLast` marks the provider of this browser's last sign-in.
   */
  providers: { name: string; wasLast: boolean }[];
  /** Where the browser goes after the sign-in. The target has been checked. */
  customURL: string;
  /**
   * The name of the registered application at that target; undefined if the target is not exactly one registered
   * application.
   */
  application: string | undefined;
  userLoggedIn: boolean;
  /** Whether the person is signed in and wants to add an account. */
  adding: boolean;
  /** Whether the person is signed in and must sign in again. */
  again: boolean;
  /** The initial value of the username field. */
  hint: string;
  username: string | undefined;
  fullName: string | undefined;
  hasImage: boolean;
  csrfToken: string;
  /** Why the submitted form was refused, and which field caused it; undefined if none was refused. */
  refusal: (Refusal & { field: 'username' | 'password' | undefined }) | undefined;
  /**
   * Why a sign-in that began on this page has ended: `guesses` after too many wrong codes, `time` for any other
   * reason.
   */
  beginAgain: 'guesses' | 'time' | undefined;
  /** The method of this browser's last sign-in: `password`, `passkey`, or the name of a provider. */
  lastLoginMethod: string | undefined;
  lastLoginPassword: boolean;
  /** Whether users can sign in by passkeys. */
  hasPasskeys: boolean;
  lastLoginPasskey: boolean;
  /** Whether people can request a mail with a link to choose a new password. */
  hasMail: boolean;
  /**
   * Whether the two built-in providers are usable. Custom templates that are older than `providers` use these fields.
   */
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
  /** Whether the request asks the person to sign in again. */
  again: boolean;
  /** The name from the query. Untrusted. */
  hint: unknown;
  /** Every provider, usable or not. */
  providers: readonly ProviderSettings[];
  /** The person who is signed in in this browser. */
  person: { username: string; fullName: string; image: string } | undefined;
  /** Whether the person wants to add an account. */
  adding: boolean;
  /** The last method from the browser's cookie. Untrusted. */
  lastMethod: string | undefined;
}

/** Longest name that the username field accepts. */
const MAX_NAME = 255;

/** Creates the data of the login page. A provider without client credentials has no button. */
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
