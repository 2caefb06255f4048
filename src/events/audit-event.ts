import type { EventRecord } from './event-record.ts';

/** An event as it is read from the audit log. */
export interface AuditEvent extends Omit<EventRecord, 'actor_type' | 'command' | 'trace_id'> {
  id: number;
  actor_type: string;
}

/** An event in JSON and CSV. `at` is an ISO 8601 time. */
export type AuditEventJson = Omit<AuditEvent, 'at'> & { at: string };

/** The fields of an event in JSON and CSV, in the order in which they are written. */
export const auditFields = [
  'id',
  'at',
  'event',
  'actor_type',
  'actor_id',
  'actor_name',
  'subject_id',
  'subject_name',
  'session_ref',
  'address',
  'user_agent',
  'application',
  'request_id',
  'details',
] as const satisfies readonly (keyof AuditEvent)[];

/** Converts an event for JSON and CSV. */
export const toAuditJson = ({ id, at, ...rest }: AuditEvent): AuditEventJson => ({
  id,
  at: new Date(at).toISOString(),
  ...rest,
});
