import type { Services } from '../http/route.ts';
import { hasLogoutUri } from '../oidc/end-expired.ts';
import { logoutSender } from '../oidc/send-logout.ts';
import { OutboxWorker, type WorkerParts } from './outbox-worker.ts';

/** Many messages are sent at once, but few to one application, so that no application delays others. Polls are frequent. */
const PACE = { atOnce: 64, perTarget: 4, pollMs: 300 };

/** Creates the worker that informs applications about ended sessions. It is idle while no application has a logout URI. */
export function createLogouts(services: Services, onAttempt: WorkerParts['onAttempt']): OutboxWorker {
  const { database, dataSealer, clock, log } = services;
  const onTrouble = (error: unknown, facts: object) =>
    log.warn({ err: error, ...facts }, 'failed to notify an application of a sign-out');
  const senders = [logoutSender(services)];
  const maySend = () => hasLogoutUri(services);
  return new OutboxWorker({ database, dataSealer, clock, senders, onTrouble, onAttempt, maySend, ...PACE });
}
