import type { EventSink, Transaction } from '../db/handle.ts';
import type { Clock } from '../lib/clock.ts';
import { writeAuditEvent } from './audit-log.ts';
import { type EventRecord, toRecord } from './event-record.ts';
import type { AppEvent } from './event-types.ts';
import type { Counts, Subscriber } from './subscriber.ts';

/** An event that the audit log has, as its rule recorded it. */
export interface StoredEvent {
  /** In the audit log. */
  id: number;
  event: AppEvent;
}

/** Passes an event on, or schedules that, in the transaction of its change. */
export interface EventWriter {
  write(tx: Transaction, record: EventRecord, stored: StoredEvent): Promise<void> | void;
}

interface SinkParts {
  /** In call order. */
  subscribers: readonly Subscriber[];
  writers: readonly EventWriter[];
  clock: Clock;
}

/**
 * Creates the event sink of a database: subscribers handle the consequences of a change, the audit log stores the event,
 * and writers pass it on.
 *
 * Why: all of them work in the transaction of the change, so that no change is committed without them.
 */
export function eventSinkWith({ subscribers, writers, clock }: SinkParts): EventSink {
  return {
    record: async (tx: Transaction, event: AppEvent): Promise<Counts> => {
      const consequences: Record<string, number> = {};
      for (const { onEvent } of subscribers) Object.assign(consequences, await onEvent(tx, event));
      const isEmpty = Object.values(consequences).every((count) => count === 0);
      if (event.changesNothing && isEmpty) return consequences;
      const record = toRecord(event, clock.now(), consequences);
      const stored = { id: await writeAuditEvent(tx, record), event };
      for (const { write } of writers) await write(tx, record, stored);
      return consequences;
    },
  };
}

/**
 * Records a change, in its transaction. A request or command that changes something records one event; consequences are
 * counts in its details.
 *
 * @returns what subscribers ended, such as `sessions_ended`
 * @throws Error if the database was opened without a sink, because the change would have no consequences
 * @see docs/decisions/0017-events.md
 */
export async function recordEvent(tx: Transaction, event: AppEvent): Promise<Counts> {
  if (!tx.events) throw new Error(`there is no event sink for ${event.type}`);
  return tx.events.record(tx, event);
}
