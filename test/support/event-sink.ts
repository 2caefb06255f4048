import { allSubscribers } from '../../src/cli/all-subscribers.ts';
import { eventSinkWith } from '../../src/events/record-event.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** Handles events in databases that a test opens itself. It runs all subscribers but writes no audit events. */
export const eventSink = eventSinkWith({ subscribers: allSubscribers, writers: [], clock: systemClock });
