import type { EventRecord } from './event-record.ts';
import { insertAuditEvent, type NewAuditEvent } from './queries.ts';
import type { EventWriter } from './record-event.ts';

/** The row of an event. */
export const toAuditRow = ({
  command: _command,
  trace_id: _trace,
  user_agent,
  details,
  ...rest
}: EventRecord): NewAuditEvent => ({
  ...rest,
  user_agent: user_agent || null,
  details: JSON.stringify(details),
});

/** Writes each event into the audit log, in the transaction of its change. */
export const auditWriter: EventWriter = {
  write: async (tx, record) => {
    await insertAuditEvent.run(tx, toAuditRow(record));
  },
};
