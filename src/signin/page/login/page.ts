import { type SignInMethod, signInMethods } from '../../../sessions/session.ts';
import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface LoginPage {
  codehostLoginEnabled: boolean;
  webssoLoginEnabled: boolean;
  /** Where to go after the sign-in; a relative address that was found safe before. */
  customURL: string;
  userLoggedIn: boolean;
  /** Whether the person is signed in and wants to add an account. */
  adding: boolean;
  username: string | undefined;
  csrfToken: string;
  /** Why a sign-in that was begun here has ended: too many wrong codes, or too much time. */
  beginAgain: 'guesses' | 'time' | undefined;
  lastLoginMethod: SignInMethod | undefined;
  lastLoginPassword: boolean;
  lastLoginCodehost: boolean;
  lastLoginWebsso: boolean;
}

export const loginPage = definePage({
  name: 'login',
  texts: { en, de },
  script: {
    ids: ['login', 'username', 'password', 'submit', 'form-error', 'notice', 'reveal', 'caps-lock'],
    isNeeded: true,
  },
  samples,
});

interface LoginPageFacts
  extends Pick<LoginPage, 'codehostLoginEnabled' | 'webssoLoginEnabled' | 'customURL' | 'csrfToken' | 'beginAgain'> {
  username: string | undefined;
  /** Whether the person asks to add an account. */
  adding: boolean;
  /** As the browser's cookie says; anything. */
  lastMethod: string | undefined;
}

/** What the login page shows. */
export function loginPageData({ username, lastMethod, ...facts }: LoginPageFacts): LoginPage {
  const method = signInMethods.find((known) => known === lastMethod);
  return {
    ...facts,
    username,
    userLoggedIn: username !== undefined,
    adding: facts.adding && username !== undefined,
    lastLoginMethod: method,
    lastLoginPassword: method === 'password',
    lastLoginCodehost: method === 'codehost',
    lastLoginWebsso: method === 'websso',
  };
}
