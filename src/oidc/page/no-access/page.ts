import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface NoAccessPage {
  application: string;
  /** Where another account is chosen. */
  switchURL: string;
  /** Back at the application, which then knows; empty: there is no way back. */
  backURL: string;
  username: string;
  fullName: string;
  hasImage: boolean;
}

export const noAccessPage = definePage({ name: 'no-access', texts: { en, de }, samples });
