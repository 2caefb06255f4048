import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface ForgotPage {
  csrfToken: string;
  /** Whether the person has requested a link. */
  isSent: boolean;
  /** The value of the field. */
  username: string;
  /** Why the submitted form was refused; undefined if none was. */
  refusal: Refusal | undefined;
}

export const forgotPage = definePage({ name: 'forgot', texts: { en, de }, samples });
