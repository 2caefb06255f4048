import { type SignInMethod, signInMethods } from '../sessions/session.ts';
import type { PageData } from '../ui/render.ts';

export interface LoginPageFacts {
  codehostLoginEnabled: boolean;
  webssoLoginEnabled: boolean;
  customURL: string;
  username: string | undefined;
  /** Whether an account is to be added to those that are signed in. */
  wantsToAdd: boolean;
  csrfToken: string;
  beginAgain: PageData['login']['beginAgain'];
  /** As the browser's cookie says; anything. */
  lastMethod: string | undefined;
}

const toMethod = (text: string | undefined): SignInMethod | undefined =>
  signInMethods.find((method) => method === text);

/** What the login page shows. */
export function loginPage({ username, wantsToAdd, lastMethod, ...facts }: LoginPageFacts): PageData['login'] {
  const method = toMethod(lastMethod);
  return {
    ...facts,
    username,
    userLoggedIn: username !== undefined,
    adding: wantsToAdd && username !== undefined,
    lastLoginMethod: method,
    lastLoginPassword: method === 'password',
    lastLoginCodehost: method === 'codehost',
    lastLoginWebsso: method === 'websso',
  };
}
