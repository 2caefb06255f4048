import type { Actor } from './actor.ts';
import type { AppEvent, Note } from './event-types.ts';
import type { NewAuditEvent } from './queries.ts';

/** An event, ready to be stored and logged. */
export interface EventRecord extends Omit<NewAuditEvent, 'actor_type' | 'details'> {
  actor_type: Actor['type'];
  /** The id of the request's trace. It is logged but not stored. */
  trace_id: string | null;
  /** The name of an operator's command, such as `user set`. It is logged but not stored. */
  command: string | null;
  details: Readonly<Record<string, unknown>>;
}

/**
 * Creates the record of an event.
 *
 * @param consequences counts that subscribers add to the details
 */
export function toRecord(happening: AppEvent | Note, at: number, consequences: object = {}): EventRecord {
  const { type, actor, subject, details, application = null } = happening;
  return {
    at,
    event: type,
    actor_type: actor.type,
    actor_id: actor.id ?? null,
    actor_name: actor.name ?? null,
    subject_id: subject?.id ?? null,
    subject_name: subject && 'name' in subject ? subject.name : null,
    session_ref: actor.sessionRef ?? null,
    address: actor.address ?? null,
    user_agent: actor.userAgent ?? null,
    application,
    request_id: actor.requestId ?? null,
    trace_id: actor.traceId ?? null,
    command: actor.command ?? null,
    details: { ...details, ...consequences },
  };
}

/** Returns the fields of a log line. Fields without a value are left out. */
export function toLine({ at: _at, event, ...fields }: EventRecord): Record<string, unknown> {
  const told = Object.entries(fields).filter(([, value]) => value !== null);
  return { audit: event, ...Object.fromEntries(told) };
}
