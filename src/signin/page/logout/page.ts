import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface LogoutPage {
  csrfToken: string;
  /** Where to go after the sign-out; empty: the login page. */
  redirect: string;
  /** Where the person goes to stay signed in. */
  stayURL: string;
  username: string;
  fullName: string;
  hasImage: boolean;
  /** Why the form was refused; undefined: it was not. */
  refusal: Refusal | undefined;
}

export const logoutPage = definePage({ name: 'logout', texts: { en, de }, samples });
