// For scripts of an application's pages: `import { createBrowserAuth } from 'authsvc-client/browser'`.
import { createAuth, type Visitor } from './auth.ts';
import { type AuthOptions, readOptions } from './options.ts';
import { askBrowser } from './questions.ts';

export { AuthRefused, AuthUnavailable } from './auth-errors.ts';
export type { Visitor } from './visitor.ts';

export interface BrowserAuth {
  /**
   * Finds who is signed in in this browser. The page's origin must be one of the application's URLs.
   *
   * @returns undefined: no one is signed in
   * @throws AuthUnavailable, which never means "signed out"; AuthRefused
   */
  visitor(): Promise<Visitor | undefined>;
  /** Goes to the login page. @param back where the person returns to; this page unless given */
  signIn(back?: string): void;
  /** Goes to the page that signs out. @param back where the person returns to; this page unless given */
  signOut(back?: string): void;
}

interface Place {
  href: string;
  assign(address: string): void;
}

/**
 * Connects a page with the service.
 *
 * @throws TypeError if an option is wrong
 */
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
