import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import { auditEventNames } from '../events/event-types.ts';
import type { AuditFilter } from '../events/list-events.ts';
import { readAddressFilter } from '../http/client-address.ts';
import { findEveryUserId } from '../users/find-user.ts';

/** A filter as a person typed it. An empty text means that there is no condition. */
export interface AuditFilterTexts {
  /** The name of a user, who may have been removed. */
  user?: string | undefined;
  event?: readonly string[] | undefined;
  address?: string | undefined;
  application?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

type ParseInstant = (text: string) => number | undefined;

function readInstant(field: 'since' | 'until', text: string | undefined, parse: ParseInstant): number | undefined {
  if (!text) return undefined;
  const at = parse(text);
  if (at === undefined) throw new AppError('FIELD_INVALID', { field });
  return at;
}

function readEvents(names: readonly string[] = []): readonly string[] | undefined {
  const events = [...new Set(names.filter(Boolean))];
  if (events.some((name) => !auditEventNames.includes(name)))
    throw new AppError('FIELD_INVALID', { field: 'event', allowed: auditEventNames });
  return events.length > 0 ? events : undefined;
}

/**
 * Reads a filter of audit events.
 *
 * @param parseAt parses `since` and `until`; returns milliseconds since the epoch, or undefined if the text is invalid
 * @throws AppError FIELD_INVALID with the field
 */
export async function readAuditFilter(
  handle: Handle,
  { user, event, address, application, since, until }: AuditFilterTexts,
  parseAt: ParseInstant,
): Promise<AuditFilter> {
  const instants = {
    since: readInstant('since', since, parseAt),
    until: readInstant('until', until, parseAt),
  };
  // Without this error the list would be empty, as if nothing had happened.
  if ((instants.since ?? -Infinity) > (instants.until ?? Infinity))
    throw new AppError('FIELD_INVALID', { field: 'since', reason: 'after-until' });
  return {
    events: readEvents(event),
    address: readAddressFilter(address),
    application: application?.toLowerCase() || undefined,
    ...instants,
    userIds: user ? await findEveryUserId(handle, user) : undefined,
  };
}
