import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { inlineStyle } from './inline-style.ts';
import { samples } from './samples.ts';

/**
 * The data for the template. The browser shows the page at the URL of an application, so every link must be an
 * absolute URL.
 */
export interface RefusedPage {
  reason: 'NOT_SIGNED_IN' | 'APP_NOT_ALLOWED' | 'ROLE_NOT_ALLOWED' | 'TOKEN_READ_ONLY';
  /** The username of the signed-in user, or an empty string. */
  username: string;
  /** The URL for signing in, or for switching to another account. Both return to the application. */
  signInURL: string;
  /** The URL that the visitor requested. */
  backURL: string;
}

export const refusedPage = definePage({ name: 'refused', texts: { en, de }, inlineStyle, samples });
