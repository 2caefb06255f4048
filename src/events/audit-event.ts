import type { EventRecord } from './event-record.ts';

/** An event in the audit log. */
export interface AuditEvent extends Omit<EventRecord, 'actor_type' | 'command' | 'trace_id'> {
  id: number;
  actor_type: string;
}

/** An event in JSON and CSV: `at` is ISO 8601. */
export type AuditEventJson = Omit<AuditEvent, 'at'> & { at: string };

/** The fields of an event in JSON and CSV, in their order. */
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

/** An event for programs. */
export const toAuditJson = ({ id, at, ...rest }: AuditEvent): AuditEventJson => ({
  id,
  at: new Date(at).toISOString(),
  ...rest,
});
