// For scripts in the pages of an application: `import { createBrowserAuth } from 'authsvc-client/browser'`.
import { createAuth, type Visitor } from './auth.ts';
import { type AuthOptions, readOptions } from './options.ts';
import { askBrowser } from './questions.ts';

export { AuthRefused, AuthUnavailable } from './auth-errors.ts';
export type { Visitor } from './visitor.ts';

export interface BrowserAuth {
  /**
   * Finds the user who is signed in in this browser. The page's origin must be among the registered URLs of the application.
   *
   * @returns undefined if no one is signed in
   * @throws AuthUnavailable, AuthRefused
   */
  visitor(): Promise<Visitor | undefined>;
  /** Opens the login page. @param back URL to return to. Default: this page */
  signIn(back?: string): void;
  /** Opens the sign-out page. */
  signOut(back?: string): void;
}

interface Place {
  href: string;
  assign(address: string): void;
}

/** Creates the client of a page. @throws TypeError if an option is invalid */
export function createBrowserAuth({ server, app }: Pick<AuthOptions, 'server' | 'app'>): BrowserAuth {
  const options = readOptions({ server, app });
  const { loginUrl, logoutUrl } = createAuth({ server, app });
  const name: string = 'location';
  const place = (): Place => Reflect.get(globalThis, name);
  const whole = (back: string) => (/^https?:\/\//i.test(back) ? back : new URL(back, place().href).href);
  return {
    visitor: async () => (await askBrowser(options))?.visitor,
    signIn: (back = place().href) => place().assign(loginUrl(whole(back))),
    signOut: (back = place().href) => place().assign(logoutUrl(whole(back))),
  };
}
