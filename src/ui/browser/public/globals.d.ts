// The helpers that /authsvc/main.js provides to the page that loads it. An application that loads the script references
// these types once: /// <reference types="authsvc/main" />

/** The reply of authsvc about the session of this browser. */
export interface SessionCheck {
  session_valid: boolean;
  /** When the session expires, in ISO 8601 and UTC; null without a valid session. */
  expiry: string | null;
}

/** Every helper of /authsvc/main.js. */
export interface AuthsvcHelpers {
  /**
   * Signs out after asking the person. It clears the browser's storage of the site, except the remembered username, ends
   * the session, and goes to the home page `/`. If authsvc refuses, cannot be reached, or does not run on this host, it
   * shows a message and stays on the page. Works only on pages with the same host as authsvc.
   *
   * @returns whether the person is signed out now
   */
  logout(): Promise<boolean>;
  /** Another name of `logout`. */
  logoutuser(): Promise<boolean>;
  /**
   * Clears the browser's storage of the site, except the remembered username. It clears service workers, Cache Storage,
   * localStorage, sessionStorage, IndexedDB, and the cookies that scripts can read. Then it reloads the page.
   */
  nuclearCacheClear(): Promise<void>;
  /** Returns the decoded value of a cookie that scripts can read; undefined if there is no such cookie. */
  getCookieValue(name: string): string | undefined;
  /**
   * Goes to an http or https URL. A relative URL is resolved against this page.
   *
   * @throws TypeError for any other URL
   */
  loadpage(address: string): void;
  /** Formats a date and time in the language of the page; returns an empty text for an invalid date. */
  formatDate(date: Date | string | number): string;
  reloadPage(): void;
  /**
   * Asks authsvc whether this browser is signed in. Works only on pages with the same host as authsvc.
   *
   * @throws Error if there is no answer, because the network is down, authsvc fails or asks to wait (429), or another
   *   program answers on this host. Do not sign the person out because of this error
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
