import type { EventSink, Transaction } from '../db/handle.ts';
import type { Clock } from '../lib/clock.ts';
import { writeAuditEvents } from './audit-log.ts';
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
  /** What follows from an event, in its transaction. */
  const consequencesOf = async (tx: Transaction, event: AppEvent): Promise<Counts> => {
    const consequences: Record<string, number> = {};
    for (const { onEvent } of subscribers) Object.assign(consequences, await onEvent(tx, event));
    return consequences;
  };
  return {
    record: async (tx: Transaction, events: readonly AppEvent[]): Promise<Counts[]> => {
      const counts: Counts[] = [];
      for (const event of events) counts.push(await consequencesOf(tx, event));
      const changes = events.flatMap((event, at) => {
        const consequences = counts[at] ?? {};
        const isEmpty = Object.values(consequences).every((count) => count === 0);
        return event.changesNothing && isEmpty ? [] : [{ event, record: toRecord(event, clock.now(), consequences) }];
      });
      for (const { record, ...stored } of await writeAuditEvents(tx, changes))
        for (const { write } of writers) await write(tx, record, stored);
      return counts;
    },
  };
}

/**
 * Records changes, in their transaction, each with one event; consequences are counts in its details.
 *
 * @returns for each event what subscribers ended, such as `sessions_ended`
 * @throws Error if the database was opened without a sink, because the changes would have no consequences
 * @see docs/decisions/0017-events.md
 */
export async function recordEvents(tx: Transaction, events: readonly AppEvent[]): Promise<Counts[]> {
  if (!tx.events) throw new Error(`there is no event sink for ${events.map(({ type }) => type).join(', ')}`);
  return tx.events.record(tx, events);
}

/** The same for the one event of a request or command. */
export async function recordEvent(tx: Transaction, event: AppEvent): Promise<Counts> {
  const [counts] = await recordEvents(tx, [event]);
  return counts ?? {};
}
