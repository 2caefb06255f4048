import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface ConsentPage {
  csrfToken: string;
  /** Where the form posts to. */
  action: string;
  application: string;
  /** Host of the application. */
  host: string;
  scopes: readonly ('openid' | 'profile' | 'email' | 'roles' | 'apps' | 'offline_access')[];
  /** Where another account is chosen. */
  switchURL: string;
  username: string;
  fullName: string;
  hasImage: boolean;
  /** Why the form was refused; undefined: it was not. */
  refusal: Refusal | undefined;
}

export const consentPage = definePage({ name: 'consent', texts: { en, de }, samples });

interface ConsentFacts extends Pick<ConsentPage, 'csrfToken' | 'action' | 'application' | 'switchURL' | 'refusal'> {
  redirectUri: string;
  /** As the application asked for them. */
  scopes: readonly string[];
}

const known: ConsentPage['scopes'] = ['openid', 'profile', 'email', 'roles', 'apps', 'offline_access'];

/** Those of the scopes that the page has words for. */
export const knownScopes = (scopes: readonly string[]) => known.filter((scope) => scopes.includes(scope));

/** What the page shows of a request; scopes that mean nothing here are left out. */
export function consentPageData({ redirectUri, scopes, ...facts }: ConsentFacts) {
  const { host, protocol } = new URL(redirectUri);
  return { ...facts, host: host || protocol.slice(0, -1), scopes: knownScopes(scopes) };
}
