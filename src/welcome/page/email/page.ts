import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. `done`: an address was confirmed in this browser. */
export type EmailPage = { state: 'new'; username: string; email: string; csrfToken: string } | { state: 'done' };

export const emailPage = definePage({ name: 'email', texts: { en, de }, samples });
