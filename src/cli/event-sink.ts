import type { EventSink } from '../db/handle.ts';
import { logWriter, type WriteLine } from '../events/event-log.ts';
import { type EventWriter, eventSinkWith } from '../events/record-event.ts';
import { type QueueParts, webhookWriter } from '../webhooks/queue-deliveries.ts';
import { subscribersOf } from './all-subscribers.ts';

type SinkParts = Parameters<typeof subscribersOf>[0] &
  QueueParts & {
    writeLine: WriteLine;
    /** Counts events. */
    meter?: EventWriter | undefined;
  };

/** Creates the event sink for a database that the service or a command opens. */
export const createEventSink = ({ writeLine, meter, onOverflow, ...parts }: SinkParts): EventSink =>
  eventSinkWith({
    subscribers: subscribersOf(parts),
    writers: [logWriter(writeLine), webhookWriter({ outbox: parts.outbox, onOverflow }), ...(meter ? [meter] : [])],
    clock: parts.clock,
  });
