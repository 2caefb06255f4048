import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface ForgotPage {
  csrfToken: string;
  /** Whether a link was requested. */
  isSent: boolean;
  /** What the form holds. */
  username: string;
  /** Why it was refused; undefined: it was not. */
  refusal: Refusal | undefined;
}

export const forgotPage = definePage({ name: 'forgot', texts: { en, de }, samples });
