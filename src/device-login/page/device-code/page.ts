import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface DeviceCodePage {
  /** The typed text if it is not the code of a request; undefined: nothing was typed yet. */
  typed: string | undefined;
}

export const deviceCodePage = definePage({
  name: 'device-code',
  texts: { en, de },
  script: { ids: ['device-code', 'user-code', 'submit'], showsRefusals: true },
  samples,
});

/** The maximum length of the field. */
const MAX_TYPED = 64;

/** The page that asks for a code again and keeps the unknown one in its field. */
export const unknownCodePageData = (typed: string): DeviceCodePage => ({ typed: typed.trim().slice(0, MAX_TYPED) });
