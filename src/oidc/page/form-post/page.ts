import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data for the template. */
export interface FormPostPage {
  /** The redirect URI of the application. */
  action: string;
  fields: { name: string; value: string }[];
}

export const formPostPage = definePage({ name: 'form-post', texts: { en, de }, script: { ids: ['answer'] }, samples });
