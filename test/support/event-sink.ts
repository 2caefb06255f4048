import { allSubscribers } from '../../src/cli/all-subscribers.ts';
import { eventSinkWith } from '../../src/events/record-event.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** What a database does with events that a test opens beside a service: what follows from them, and no line. */
export const eventSink = eventSinkWith({ subscribers: allSubscribers, writers: [], clock: systemClock });
