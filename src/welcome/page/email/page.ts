import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export type EmailPage =
  | {
      state: 'new';
      username: string;
      email: string;
      csrfToken: string;
      /** Why the submitted form was refused; undefined if none was. */
      refusal: Refusal | undefined;
    }
  /** The person has just confirmed the address in this browser. */
  | { state: 'done' };

export const emailPage = definePage({ name: 'email', texts: { en, de }, samples });
