import type { SampleText } from '../../../ui/define-page.ts';
import type { DeviceCodePage } from './page.ts';

export function samples(text: SampleText): Record<string, DeviceCodePage> {
  return { unknown: { typed: text('ZZZZ-ZZZZ') }, empty: { typed: undefined } };
}
