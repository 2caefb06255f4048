import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data for the template. */
export interface NoAccessPage {
  application: string;
  /** The URL of the page for choosing another account. */
  switchURL: string;
  /** The URL that returns to the application with an error. Empty if there is no way back. */
  backURL: string;
  username: string;
  fullName: string;
  hasImage: boolean;
}

export const noAccessPage = definePage({ name: 'no-access', texts: { en, de }, samples });
