import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface EnrolPage {
  csrfToken: string;
  /** Where the browser goes after the sign-in. It stays the same if the person starts the sign-in again. */
  customURL: string;
  /** For how many days a browser is trusted; 0 if browsers cannot be trusted, and then the page has no box for it. */
  trustDeviceDays: number;
  username: string;
  /** The name of the sign-in that the page completes. The form sends it. */
  step: string;
  /** The authenticator app that is being set up. If undefined, a script or a form of the page requests a draft. */
  draft: { qr_svg: string; secret: string } | undefined;
  /** The new recovery codes, which no other page shows. If they are present, the sign-in is complete. */
  recoveryCodes: string[] | undefined;
  /** Why the submitted form was refused; undefined if none was. */
  refusal: (Refusal & { isOfCode: boolean }) | undefined;
  /** Whether the box that trusts the browser is ticked. */
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
