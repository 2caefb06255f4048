import type { SampleText } from '../../../ui/define-page.ts';
import type { EmailPage } from './page.ts';

export function samples(text: SampleText): Record<string, EmailPage> {
  const link = {
    state: 'new',
    username: text('ada'),
    email: text('ada@example.com'),
    csrfToken: text('token'),
    refusal: undefined,
  } as const;
  return {
    new: link,
    refused: { ...link, refusal: { code: 'CSRF_INVALID' } },
    done: { state: 'done' },
  };
}
