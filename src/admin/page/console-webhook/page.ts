import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

export const consoleWebhookPage = definePage({
  name: 'console-webhook',
  texts: { en, de },
  script: { ids: [], showsRefusals: true },
  samples,
});
