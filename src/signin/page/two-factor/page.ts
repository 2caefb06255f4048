import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface TwoFactorPage {
  csrfToken: string;
  /** Where the browser goes after the sign-in. It stays the same if the person starts the sign-in again. */
  customURL: string;
  /** For how many days a browser is trusted; 0 if browsers cannot be trusted, and then the page has no box for it. */
  trustDeviceDays: number;
  username: string;
  /** The name of the sign-in that the page completes. The form sends it. */
  step: string;
  /** Why the submitted form was refused; undefined if none was. */
  refusal: (Refusal & { isOfCode: boolean }) | undefined;
  /** Whether the box that trusts the browser is ticked. */
  trusts: boolean;
  /** Whether the page asks for a recovery code at first. Without scripts, a link opens the page in this form. */
  usesRecovery: boolean;
  /** How many wrong codes this sign-in still allows. */
  triesLeft: number;
}

export const twoFactorPage = definePage({
  name: 'two-factor',
  texts: { en, de },
  script: {
    ids: ['two-factor', 'token', 'token-label', 'token-hint', 'submit', 'recovery', 'form-error'],
    isNeeded: true,
    showsRefusals: true,
  },
  samples,
});
