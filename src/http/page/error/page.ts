import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface ErrorPage {
  status: number;
  message: string;
  code: string;
  errorCode: number;
  hint: string;
  requestId: string;
  /** When to try again. */
  waitSeconds?: number;
  /** The page to go to next, and the key of its text. */
  goOn?: { path: string; words: 'signIn' | 'switchAccount' | 'continue' };
  /** The provider that the page is about. */
  provider?: string;
  /** The account there. */
  providerAccount?: string;
}

export const errorPage = definePage({ name: 'error', texts: { en, de }, script: { ids: [] }, samples });
