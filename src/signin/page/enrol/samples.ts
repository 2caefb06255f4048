import type { SampleText } from '../../../ui/define-page.ts';
import type { EnrolPage } from './page.ts';

export function samples(text: SampleText): Record<string, EnrolPage> {
  const usual: EnrolPage = {
    csrfToken: text('token'),
    customURL: `/${text('reports')}`,
    trustDeviceDays: 7,
    username: text('ada'),
    step: text('step'),
  };
  return { usual, 'without-trust': { ...usual, trustDeviceDays: 0 } };
}
