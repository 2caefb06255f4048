import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface WelcomePage {
  kind: 'invite' | 'reset';
  /** The last part of the link. */
  code: string;
  username: string;
  csrfToken: string;
  /** Whether a code of the second factor is needed. */
  asksForCode: boolean;
  /** Whether the user is signed in anywhere, which ends. */
  signsOut: boolean;
  /** Whether the user can add a passkey instead of a password. */
  hasPasskeys: boolean;
  /** Why the form was refused, and the field that is to blame, if one is; undefined: it was not. */
  refusal: (Refusal & { field: 'new_password' | 'token' | undefined }) | undefined;
}

export const welcomePage = definePage({
  name: 'welcome',
  texts: { en, de },
  script: { ids: ['welcome', 'passkey-error'], showsRefusals: true },
  samples,
});
