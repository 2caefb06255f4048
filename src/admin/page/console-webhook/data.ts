import type { WebhookReply } from '../../webhook-schemas.ts';

/** The data of the page, for its template. */
export interface ConsoleWebhookPage {
  webhook: WebhookReply['webhook'];
  deliveriesHref: string;
  auditHref: string;
  csrfToken: string;
}

interface WebhookFacts {
  webhook: WebhookReply['webhook'];
  csrfToken: string;
}

/** Returns the data of the page of one webhook. */
export const consoleWebhookPageData = ({ webhook, csrfToken }: WebhookFacts): ConsoleWebhookPage => ({
  webhook,
  csrfToken,
  deliveriesHref: `/authsvc/admin/webhooks/${encodeURIComponent(webhook.id)}/deliveries`,
  auditHref: '/authsvc/admin/audit?event=webhook.changed',
});
