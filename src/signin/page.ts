import { type SignInMethod, signInMethods } from '../sessions/session.ts';
import type { PageData } from '../ui/render.ts';

export interface LoginPageFacts {
  codehostLoginEnabled: boolean;
  webssoLoginEnabled: boolean;
  customURL: string;
  username: string | undefined;
  /** Whether whoever came asks to add an account. */
  adding: boolean;
  csrfToken: string;
  beginAgain: PageData['login']['beginAgain'];
  /** As the browser's cookie says; anything. */
  lastMethod: string | undefined;
}

const toMethod = (text: string | undefined): SignInMethod | undefined =>
  signInMethods.find((method) => method === text);

/** What the login page shows. */
export function loginPage({ username, lastMethod, ...facts }: LoginPageFacts): PageData['login'] {
  const method = toMethod(lastMethod);
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
