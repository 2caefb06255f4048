import type { SampleText } from '../../../ui/define-page.ts';
import type { ForgotPage } from './page.ts';

export function samples(text: SampleText): Record<string, ForgotPage> {
  const usual: ForgotPage = { csrfToken: text('token'), isSent: false, username: '', refusal: undefined };
  return {
    new: usual,
    empty: { ...usual, refusal: { code: 'MISSING_REQUIRED_FIELD' } },
    limited: { ...usual, username: text('ada'), refusal: { code: 'TOO_MANY_REQUESTS', waitSeconds: 1800 } },
    sent: { ...usual, isSent: true },
  };
}
