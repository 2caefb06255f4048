import type { Handle } from '../db/handle.ts';
import type { AuditEventsTable } from '../db/schema.ts';
import type { AuditEvent } from './audit-event.ts';
import { type Driver, listAuditEventRows } from './queries.ts';

/** A filter for the audit log. A missing field matches every event. An event must match all fields that are given. */
export interface AuditFilter {
  /** Matches events whose subject or actor is one of these users. An empty list matches no event. */
  userIds?: readonly number[] | undefined;
  /** Matches events with one of these names. An empty list matches no event. */
  events?: readonly string[] | undefined;
  /** Matches events whose subject is this user. */
  subjectId?: number | undefined;
  address?: string | undefined;
  application?: string | undefined;
  /** Earliest time in milliseconds since the epoch, UTC, inclusive. */
  since?: number | undefined;
  /** Latest time in milliseconds since the epoch, UTC, exclusive. */
  until?: number | undefined;
}

/**
 * A position in the list, which is sorted newest first. The next page starts after the event with this time and id.
 */
export interface AuditCursor {
  at: number;
  id: number;
}

type Row = Omit<AuditEventsTable, 'id'> & { id: number };

function parseDetails(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * Converts a row into an event. It lists each field because rows from SQLite have no prototype, which makes
 * spreading one ten times slower.
 */
export const toAuditEvent = (row: Row): AuditEvent => ({
  id: row.id,
  at: row.at,
  event: row.event,
  actor_type: row.actor_type,
  actor_id: row.actor_id,
  actor_name: row.actor_name,
  subject_id: row.subject_id,
  subject_name: row.subject_name,
  session_ref: row.session_ref,
  address: row.address,
  user_agent: row.user_agent,
  application: row.application,
  request_id: row.request_id,
  details: parseDetails(row.details),
});

/**
 * Returns the conditions that the database evaluates with an index. If the filter has several kinds of conditions,
 * returns only those of the most selective kind.
 */
function driversOf({ userIds, subjectId, events, address, application }: AuditFilter): Driver[] {
  if (subjectId !== undefined) return [{ column: 'subject_id', value: subjectId }];
  if (userIds) {
    return userIds.flatMap((value): Driver[] => [
      { column: 'subject_id', value },
      { column: 'actor_id', value },
    ]);
  }
  if (address !== undefined) return [{ column: 'address', value: address }];
  if (application !== undefined) return [{ column: 'application', value: application }];
  return (events ?? []).map((value) => ({ column: 'event', value }));
}

/**
 * Lists events of the audit log, newest first, sorted by time and then by id.
 *
 * Each page uses an index, and no page counts rows.
 *
 * @param page limit: maximum number of events; after: the `next` that the previous page returned for the same
 * filter
 * @returns next: where the next page begins; undefined if there is none
 */
export async function listAuditEvents(
  handle: Handle,
  filter: AuditFilter,
  { limit, after }: { limit: number; after?: AuditCursor | undefined },
): Promise<{ events: AuditEvent[]; next: AuditCursor | undefined }> {
  const { userIds, events, address, application, since, until } = filter;
  if (userIds?.length === 0 || events?.length === 0) return { events: [], next: undefined };
  const drivers = driversOf(filter);
  const listing = { drivers, events, address, application, since, until, after, limit: limit + 1 };
  const rows = await listAuditEventRows.all(handle, listing);
  const found = rows.slice(0, limit).map(toAuditEvent);
  const last = found.at(-1);
  return { events: found, next: rows.length > limit && last ? { at: last.at, id: last.id } : undefined };
}

const EXPORT_PAGE = 500;

/**
 * Reads all events that match a filter, newest first. It reads one page at a time, so that an export needs little
 * memory.
 *
 * @param limit maximum number of events
 */
export async function* readAuditEvents(
  handle: Handle,
  filter: AuditFilter,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<AuditEvent[]> {
  let after: AuditCursor | undefined;
  for (let left = limit; left > 0; left -= EXPORT_PAGE) {
    const page = await listAuditEvents(handle, filter, { limit: Math.min(left, EXPORT_PAGE), after });
    if (page.events.length > 0) yield page.events;
    if (!page.next) return;
    after = page.next;
  }
}
