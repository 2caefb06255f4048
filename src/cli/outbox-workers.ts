import { createLogouts } from '../delivery/logouts.ts';
import type { OutboxWorker, WorkerParts } from '../delivery/outbox-worker.ts';
import type { Services } from '../http/route.ts';
import { createDeliveries } from '../webhooks/deliver.ts';
import { createMailing } from '../welcome/mailing.ts';

/** Returns the workers that send the messages of the outbox, one for each kind of message. */
export const outboxWorkers = (
  services: Services,
  onAttempt: WorkerParts['onAttempt'],
): readonly (OutboxWorker | undefined)[] => [
  createLogouts(services, onAttempt),
  createMailing(services, onAttempt),
  createDeliveries(services, onAttempt),
];
