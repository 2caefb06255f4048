import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface ForgotPage {
  csrfToken: string;
  /** The form was sent empty; a link was requested; or neither. */
  state: 'empty' | 'sent' | 'new';
}

export const forgotPage = definePage({ name: 'forgot', texts: { en, de }, samples });
