import type { SampleText } from '../../../ui/define-page.ts';
import type { TwoFactorPage } from './page.ts';

export function samples(text: SampleText): Record<string, TwoFactorPage> {
  const usual: TwoFactorPage = {
    csrfToken: text('token'),
    customURL: `/${text('reports')}`,
    trustDeviceDays: 7,
    username: text('ada'),
    triesLeft: 5,
    step: text('step'),
  };
  return { usual, 'without-trust': { ...usual, trustDeviceDays: 0 } };
}
