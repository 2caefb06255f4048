import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { inlineStyle } from './inline-style.ts';
import { samples } from './samples.ts';

/** What the template needs. The page appears at the address of an application, so every link is a whole URL. */
export interface RefusedPage {
  reason: 'NOT_SIGNED_IN' | 'APP_NOT_ALLOWED' | 'ROLE_NOT_ALLOWED' | 'TOKEN_READ_ONLY';
  /** Who is signed in; empty: no one. */
  username: string;
  /** The address to sign in, or to sign in with another account, and return. */
  signInURL: string;
  /** The requested address. */
  backURL: string;
}

export const refusedPage = definePage({ name: 'refused', texts: { en, de }, inlineStyle, samples });
