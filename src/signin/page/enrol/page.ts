import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface EnrolPage {
  csrfToken: string;
  /** Where to go after the sign-in; kept if the person starts again. */
  customURL: string;
  /** 0: browsers cannot be trusted, and the page does not offer it. */
  trustDeviceDays: number;
  username: string;
  /** The name of the sign-in that the page completes. The form sends it. */
  step: string;
  /** The app that is being set up; undefined: a script asks for one, or a form. */
  draft: { qr_svg: string; secret: string } | undefined;
  /** New ones, which no other page shows. With them, the sign-in is complete. */
  recoveryCodes: string[] | undefined;
  /** Why the form was refused; undefined: it was not. */
  refusal: (Refusal & { isOfCode: boolean }) | undefined;
  /** Whether the box to trust the browser is ticked. */
  trusts: boolean;
}

/** The second step of users who must set up a second factor first. */
export const enrolPage = definePage({
  name: 'enrol',
  texts: { en, de },
  script: {
    ids: [
      'setup',
      'enrol',
      'qr-code',
      'key',
      'token',
      'submit',
      'form-error',
      'done',
      'done-heading',
      'recovery-codes',
      'save-codes',
      'print-codes',
      'go-on',
    ],
    isNeeded: true,
    showsRefusals: true,
  },
  samples,
});
