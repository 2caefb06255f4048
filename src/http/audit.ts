import { clientAddress } from './client-address.ts';
import type { Call } from './route.ts';

export type AuditEvent =
  | 'sign-in'
  | 'second-step-asked'
  | 'session-switched'
  | 'session-ended'
  | 'all-sessions-ended'
  | 'token-created'
  | 'token-revoked'
  | 'device-approved'
  | 'device-denied'
  | 'request-refused';

interface AuditFields {
  userId?: number | undefined;
  method?: string;
  route?: string;
  reason?: string;
  /** The id of an account at a provider. */
  providerAccount?: string | undefined;
  tokenId?: number;
  /** How many sessions an event ended. */
  sessions?: number;
}

/**
 * Writes one line of the audit trail: who, what, from where, in which request. Never a name that was typed in: people
 * type their password there.
 */
export function audit(
  { request, services }: Pick<Call, 'request' | 'services'>,
  event: AuditEvent,
  fields: AuditFields = {},
): void {
  const { userId, providerAccount, tokenId, ...rest } = fields;
  services.log.info(
    {
      audit: event,
      request_id: request.id,
      address: clientAddress(request),
      ...(userId === undefined ? {} : { user_id: userId }),
      ...(providerAccount === undefined ? {} : { provider_account: providerAccount }),
      ...(tokenId === undefined ? {} : { token_id: tokenId }),
      ...rest,
    },
    `audit: ${event}`,
  );
}
