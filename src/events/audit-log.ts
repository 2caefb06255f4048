import type { Transaction } from '../db/handle.ts';
import type { EventRecord } from './event-record.ts';
import { insertAuditEvent, type NewAuditEvent } from './queries.ts';

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

/** Writes an event into the audit log, in the transaction of its change. Returns its id. */
export async function writeAuditEvent(tx: Transaction, record: EventRecord): Promise<number> {
  const row = await insertAuditEvent.first(tx, toAuditRow(record));
  if (!row) throw new Error(`${record.event} is not in the audit log`);
  return row.id;
}
