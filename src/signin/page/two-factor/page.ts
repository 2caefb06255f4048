import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface TwoFactorPage {
  csrfToken: string;
  /** Where to go after the sign-in; kept if the person starts again. */
  customURL: string;
  /** 0: browsers cannot be trusted, and the page does not offer it. */
  trustDeviceDays: number;
  username: string;
  /** The name of the sign-in that the page completes. The form sends it. */
  step: string;
  /** Why the form was refused; undefined: it was not. */
  refusal: (Refusal & { isOfCode: boolean }) | undefined;
  /** Whether the box to trust the browser is ticked. */
  trusts: boolean;
  /** Whether the page asks for a recovery code from the start, as it does without scripts. */
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
