// The helpers that /authsvc/main.js provides to the page that loads it. An application that loads the script references
// these types once: /// <reference types="authsvc/main" />

/** What the service says about the session of this browser. */
export interface SessionCheck {
  session_valid: boolean;
  /** ISO 8601, UTC; null without a valid session. */
  expiry: string | null;
}

/** Every helper of /authsvc/main.js. */
export interface AuthsvcHelpers {
  /**
   * Asks whether to sign out. Then clears the browser's storage of the site, except the remembered username, ends the
   * session, and goes to the home page `/`. If the service refuses, cannot be reached or does not answer at this host,
   * it says so and stays on the page. Works only on pages of the same host as authsvc.
   *
   * @returns whether the person is signed out now
   */
  logout(): Promise<boolean>;
  /** The same as `logout`. */
  logoutuser(): Promise<boolean>;
  /**
   * Clears the browser's storage of the site, except the remembered username: service workers, Cache Storage,
   * localStorage and sessionStorage, IndexedDB, and the cookies that scripts can see. Then reloads the page.
   */
  nuclearCacheClear(): Promise<void>;
  /** The decoded value of a cookie that scripts can see; undefined if there is none with that name. */
  getCookieValue(name: string): string | undefined;
  /**
   * Goes to an http or https address, relative to this page.
   *
   * @throws TypeError for any other address
   */
  loadpage(address: string): void;
  /** Date and time in the language of the page; an empty text for an invalid date. */
  formatDate(date: Date | string | number): string;
  reloadPage(): void;
  /**
   * Asks the service whether this browser is signed in. Works only on pages of the same host as authsvc.
   *
   * @throws Error if there is no answer: the network is down, the service fails or asks to wait (429), or another
   * program answers at this host. That is no reason to sign the person out.
   */
  checkSession(): Promise<SessionCheck>;
}

declare global {
  const logout: AuthsvcHelpers['logout'];
  const logoutuser: AuthsvcHelpers['logoutuser'];
  const nuclearCacheClear: AuthsvcHelpers['nuclearCacheClear'];
  const getCookieValue: AuthsvcHelpers['getCookieValue'];
  const loadpage: AuthsvcHelpers['loadpage'];
  const formatDate: AuthsvcHelpers['formatDate'];
  const reloadPage: AuthsvcHelpers['reloadPage'];
  const checkSession: AuthsvcHelpers['checkSession'];
}
