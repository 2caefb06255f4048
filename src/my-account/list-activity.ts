import type { Handle } from '../db/handle.ts';
import { AppError } from '../errors/app-error.ts';
import type { AuditEvent } from '../events/audit-event.ts';
import { listAuditEvents } from '../events/list-events.ts';
import { DAY_MS } from '../lib/clock.ts';

const KEPT_DAYS = 90;
const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100;

/** Who caused an event, from the point of view of the account's user. */
export type Cause = 'you' | 'token' | 'operator' | 'system';

/** An event of a user's account, as the user sees it. */
export interface ActivityEvent {
  at: number;
  event: string;
  details: AuditEvent['details'];
  by: Cause;
  /** The key of the application that the event is about. */
  application: string | null;
  /**
   * The address that the request came from. Null if an operator or a superadmin caused the event, because users may not
   * see the address and browser of another person.
   */
  address: string | null;
  userAgent: string | null;
}

/** Parses the query parameters of the activity list. Throws FIELD_INVALID. */
export function parseActivityPage({ before, limit = String(DEFAULT_LIMIT) }: { before?: unknown; limit?: unknown }): {
  after: { at: number; id: number } | undefined;
  limit: number;
} {
  const count = typeof limit === 'string' && /^[1-9]\d{0,2}$/.test(limit) ? Number(limit) : 0;
  if (count < 1 || count > MAX_LIMIT) throw new AppError('FIELD_INVALID', { field: 'limit', maximum: MAX_LIMIT });
  if (before === undefined || before === '') return { after: undefined, limit: count };
  const [, at, id] = (typeof before === 'string' && /^(\d{1,15})-(\d{1,15})$/.exec(before)) || [];
  if (at === undefined || id === undefined) throw new AppError('FIELD_INVALID', { field: 'before' });
  return { after: { at: Number(at), id: Number(id) }, limit: count };
}

/**
 * Without a session, these events can happen only through a link that was made for the user of the account. They
 * therefore count as caused by the user.
 */
const BY_LINK: readonly string[] = ['password.changed', 'factor.changed'];

function causeOf({ actor_type: type, actor_id: actorId, event }: AuditEvent, userId: number): Cause {
  if (type === 'anonymous' && BY_LINK.includes(event)) return 'you';
  if (type === 'user' || type === 'token') {
    if (actorId !== userId) return 'operator';
    return type === 'user' ? 'you' : 'token';
  }
  return type === 'operator' || type === 'main_secret' ? 'operator' : 'system';
}

function toActivity(event: AuditEvent, userId: number): ActivityEvent {
  const by = causeOf(event, userId);
  const isHidden = by === 'operator';
  return {
    at: event.at,
    event: event.event,
    details: event.details,
    by,
    application: event.application,
    address: isHidden ? null : event.address,
    userAgent: isHidden ? null : event.user_agent,
  };
}

/**
 * Lists the events of a user's account in the last 90 days, newest first.
 *
 * @returns next: where the next page begins; null if there is no next page
 */
export async function listActivity(
  handle: Handle,
  { userId, now }: { userId: number; now: number },
  page: ReturnType<typeof parseActivityPage>,
): Promise<{ events: ActivityEvent[]; next: string | null }> {
  const filter = { subjectId: userId, since: now - KEPT_DAYS * DAY_MS };
  const { events, next } = await listAuditEvents(handle, filter, page);
  return {
    events: events.map((event) => toActivity(event, userId)),
    next: next ? `${next.at}-${next.id}` : null,
  };
}
