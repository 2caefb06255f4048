import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data for the template. */
export interface ErrorPage {
  status: number;
  message: string;
  code: string;
  errorCode: number;
  hint: string;
  requestId: string;
  /** Seconds after which the visitor may try again. */
  waitSeconds?: number;
  /** The page to go to next, and the key of the link's text. */
  goOn?: { path: string; words: 'signIn' | 'switchAccount' | 'continue' };
  /** The name of the identity provider that the error is about. */
  provider?: string;
  /** The id of the account at the provider. */
  providerAccount?: string;
}

export const errorPage = definePage({ name: 'error', texts: { en, de }, script: { ids: [] }, samples });
