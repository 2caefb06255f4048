import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface DeviceCodePage {
  /** The typed text if no request has this code; undefined if nothing was typed yet. */
  typed: string | undefined;
}

export const deviceCodePage = definePage({
  name: 'device-code',
  texts: { en, de },
  script: { ids: ['device-code', 'user-code', 'submit'], showsRefusals: true },
  samples,
});

/** Maximum length of the code field, in characters. */
const MAX_TYPED = 64;

/** Returns the data of the page after an unknown code was typed. Its field shows that code again. */
export const unknownCodePageData = (typed: string): DeviceCodePage => ({ typed: typed.trim().slice(0, MAX_TYPED) });
