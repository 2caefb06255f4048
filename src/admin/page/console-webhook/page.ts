import { definePage } from '../../../ui/define-page.ts';
import type { WebhookReply } from '../../webhook-schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** What the template needs. */
export interface ConsoleWebhookPage {
  webhook: WebhookReply['webhook'];
  deliveriesHref: string;
  auditHref: string;
  csrfToken: string;
}

export const consoleWebhookPage = definePage({
  name: 'console-webhook',
  texts: { en, de },
  script: { ids: [], showsRefusals: true },
  samples,
});

interface WebhookFacts {
  webhook: WebhookReply['webhook'];
  csrfToken: string;
}

/** What the page of one webhook shows. */
export const consoleWebhookPageData = ({ webhook, csrfToken }: WebhookFacts): ConsoleWebhookPage => ({
  webhook,
  csrfToken,
  deliveriesHref: `/authsvc/admin/webhooks/${encodeURIComponent(webhook.id)}/deliveries`,
  auditHref: '/authsvc/admin/audit?event=webhook.changed',
});
