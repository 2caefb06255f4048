import { definePage } from '../../../ui/define-page.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

export const consoleApplicationPage = definePage({
  name: 'console-application',
  texts: { en, de },
  script: { ids: [], showsRefusals: true },
  samples,
});
