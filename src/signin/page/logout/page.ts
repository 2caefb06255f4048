import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface LogoutPage {
  csrfToken: string;
  /** Where the browser goes after the sign-out; empty means the login page. */
  redirect: string;
  /** Target of the link for a person who wants to stay signed in. */
  stayURL: string;
  username: string;
  fullName: string;
  hasImage: boolean;
  /** Why the submitted form was refused; undefined if none was. */
  refusal: Refusal | undefined;
}

export const logoutPage = definePage({ name: 'logout', texts: { en, de }, samples });
