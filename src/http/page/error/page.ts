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
  /** When to come back. */
  waitSeconds?: number;
  /** The next page to go to, and which of the page's texts names it. */
  goOn?: { path: string; words: 'signIn' | 'switchAccount' | 'continue' };
  /** The provider that the page is about. */
  provider?: string;
  /** The account there. */
  providerAccount?: string;
}

export const errorPage = definePage({ name: 'error', texts: { en, de }, script: { ids: [] }, samples });
