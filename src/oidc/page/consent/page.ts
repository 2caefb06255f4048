import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data for the template. */
export interface ConsentPage {
  csrfToken: string;
  /** The URL that the form is sent to. */
  action: string;
  application: string;
  /** The host of the application. */
  host: string;
  scopes: readonly ('openid' | 'profile' | 'email' | 'roles' | 'apps' | 'offline_access')[];
  /** The URL of the page for choosing another account. */
  switchURL: string;
  username: string;
  fullName: string;
  hasImage: boolean;
  /** Why the form was refused; undefined if it was not. */
  refusal: Refusal | undefined;
}

export const consentPage = definePage({ name: 'consent', texts: { en, de }, samples });

interface ConsentFacts extends Pick<ConsentPage, 'csrfToken' | 'action' | 'application' | 'switchURL' | 'refusal'> {
  redirectUri: string;
  /** The scopes that the application requested. */
  scopes: readonly string[];
}

const known: ConsentPage['scopes'] = ['openid', 'profile', 'email', 'roles', 'apps', 'offline_access'];

/** Returns the scopes for which the page has a description. */
export const knownScopes = (scopes: readonly string[]) => known.filter((scope) => scopes.includes(scope));

/** Returns the data that the page shows. Scopes that this service does not support are left out. */
export function consentPageData({ redirectUri, scopes, ...facts }: ConsentFacts) {
  const { host, protocol } = new URL(redirectUri);
  return { ...facts, host: host || protocol.slice(0, -1), scopes: knownScopes(scopes) };
}
