import { definePage } from '../../../ui/define-page.ts';
import type { Refusal } from '../../../ui/refusal.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export type EmailPage =
  | {
      state: 'new';
      username: string;
      email: string;
      csrfToken: string;
      /** Why the form was refused; undefined: it was not. */
      refusal: Refusal | undefined;
    }
  /** An address was confirmed in this browser. */
  | { state: 'done' };

export const emailPage = definePage({ name: 'email', texts: { en, de }, samples });
