import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface DeviceCodePage {
  /** What was typed and is no code of a request; undefined: nothing was typed yet. */
  typed: string | undefined;
}

export const deviceCodePage = definePage({
  name: 'device-code',
  texts: { en, de },
  script: { ids: ['device-code', 'user-code', 'submit'], showsRefusals: true },
  samples,
});

/** As many characters as the field takes. */
const MAX_TYPED = 64;

/** The page that asks for a code again and keeps the unknown one in its field. */
export const unknownCodePageData = (typed: string): DeviceCodePage => ({ typed: typed.trim().slice(0, MAX_TYPED) });
