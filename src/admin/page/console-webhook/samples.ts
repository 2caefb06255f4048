import type { SampleText } from '../../../ui/define-page.ts';
import { type ConsoleWebhookPage, consoleWebhookPageData } from './data.ts';

const AT = '2026-01-02T03:04:05.006Z';

export function samples(text: SampleText): Record<string, ConsoleWebhookPage> {
  const full = {
    id: 'wh_0123456789abcdef01234567',
    url: text('https://hooks.example.com/authsvc'),
    events: ['user.created', 'user.removed'],
    app: text('portal'),
    description: text('Keeps the address book up to date'),
    is_active: true,
    created_at: AT,
    last_delivered_at: AT,
    failing_since: AT,
  };
  const csrfToken = text('token');
  const bare = { app: null, description: '', is_active: false, last_delivered_at: null, failing_since: null };
  return {
    full: consoleWebhookPageData({ webhook: full, csrfToken }),
    bare: consoleWebhookPageData({ webhook: { ...full, ...bare, events: ['*'] }, csrfToken }),
  };
}
