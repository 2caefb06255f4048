import type { EventSink, Transaction } from '../db/handle.ts';
import type { Clock } from '../lib/clock.ts';
import { writeAuditEvents } from './audit-log.ts';
import { type EventRecord, toRecord } from './event-record.ts';
import type { AppEvent } from './event-types.ts';
import type { Counts, Subscriber } from './subscriber.ts';

/** An event that is stored in the audit log, as its rule recorded it. */
export interface StoredEvent {
  /** The id of its row in the audit log. */
  id: number;
  event: AppEvent;
}

/**
 * Passes an event on, for example to the log or to webhooks. It is called in the transaction of the change and may
 * postpone its work until the commit.
 */
export interface EventWriter {
  write(tx: Transaction, record: EventRecord, stored: StoredEvent): Promise<void> | void;
}

interface SinkParts {
  /** The subscribers, in the order in which they are called. */
  subscribers: readonly Subscriber[];
  writers: readonly EventWriter[];
  clock: Clock;
}

/**
 * Creates the event sink of a database. Subscribers handle the consequences of a change, the audit log stores the
 * event, and writers pass it on.
 *
 * All of them work in the transaction of the change, so that no change is committed without them.
 */
export function eventSinkWith({ subscribers, writers, clock }: SinkParts): EventSink {
  /** Runs all subscribers for an event. Returns the counts of what they ended. */
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
 * Records changes in the transaction that makes them, with one event per change. The counts that subscribers return
 * are added to the details of the event.
 *
 * @returns for each event, the counts of what subscribers ended, such as `sessions_ended`
 * @throws Error if the database was opened without a sink, because the changes would have no consequences
 * @see docs/decisions/0017-events.md
 */
export async function recordEvents(tx: Transaction, events: readonly AppEvent[]): Promise<Counts[]> {
  if (!tx.events) throw new Error(`there is no event sink for ${events.map(({ type }) => type).join(', ')}`);
  return tx.events.record(tx, events);
}

/** Records one change, like `recordEvents`. */
export async function recordEvent(tx: Transaction, event: AppEvent): Promise<Counts> {
  const [counts] = await recordEvents(tx, [event]);
  return counts ?? {};
}
