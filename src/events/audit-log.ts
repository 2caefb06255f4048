import type { Transaction } from '../db/handle.ts';
import type { EventRecord } from './event-record.ts';
import { insertAuditEvents, type NewAuditEvent } from './queries.ts';

/** Converts the record of an event into a row of the audit log. */
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

/**
 * Writes the records of changes into the audit log, in the same transaction as the changes. Returns the changes
 * with the ids of their rows.
 */
export async function writeAuditEvents<Change extends { record: EventRecord }>(
  tx: Transaction,
  changes: readonly Change[],
): Promise<(Change & { id: number })[]> {
  if (changes.length === 0) return [];
  const rows = await insertAuditEvents.all(tx, { events: changes.map(({ record }) => toAuditRow(record)) });
  const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
  return changes.map((change, at) => {
    const id = ids[at];
    if (id === undefined) throw new Error(`${change.record.event} is not in the audit log`);
    return { ...change, id };
  });
}
