import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface WelcomePage {
  kind: 'invite' | 'reset';
  /** The code in the last part of the link. */
  code: string;
  username: string;
  csrfToken: string;
  /** Whether the user must enter a code of the second factor. */
  asksForCode: boolean;
  /** Whether the user has sessions. Using the link ends them. */
  signsOut: boolean;
  /** Whether the user can add a passkey instead of a password. */
  hasPasskeys: boolean;
  /** Why the submitted form was refused, and which field caused it, if any; undefined if no form was refused. */
  refusal: (Refusal & { field: 'new_password' | 'token' | undefined }) | undefined;
}

export const welcomePage = definePage({
  name: 'welcome',
  texts: { en, de },
  script: { ids: ['welcome', 'passkey-error'], showsRefusals: true },
  samples,
});
