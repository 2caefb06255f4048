import type { SampleText } from '../../../ui/define-page.ts';
import type { EmailPage } from './page.ts';

export function samples(text: SampleText): Record<string, EmailPage> {
  return {
    new: { state: 'new', username: text('ada'), email: text('ada@example.com'), csrfToken: text('token') },
    done: { state: 'done' },
  };
}
