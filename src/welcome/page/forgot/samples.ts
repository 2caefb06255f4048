import type { SampleText } from '../../../ui/define-page.ts';
import type { ForgotPage } from './page.ts';

export function samples(text: SampleText): Record<string, ForgotPage> {
  const csrfToken = text('token');
  return {
    new: { csrfToken, state: 'new' },
    empty: { csrfToken, state: 'empty' },
    sent: { csrfToken, state: 'sent' },
  };
}
