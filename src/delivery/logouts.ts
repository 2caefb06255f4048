import type { Services } from '../http/route.ts';
import { hasLogoutUri } from '../oidc/end-expired.ts';
import { logoutSender } from '../oidc/send-logout.ts';
import { OutboxWorker, type WorkerParts } from './outbox-worker.ts';

/** No application delays another one, and a process hears soon of what other processes have ended. */
const PACE = { atOnce: 64, perTarget: 4, pollMs: 300 };

/** Makes the worker that tells applications of ended sessions, while one of them wants to be told. */
export function createLogouts(services: Services, onAttempt: WorkerParts['onAttempt']): OutboxWorker {
  const { database, dataSealer, clock, log } = services;
  const onTrouble = (error: unknown, facts: object) =>
    log.warn({ err: error, ...facts }, 'failed to tell an application of a sign-out; tries again');
  const senders = [logoutSender(services)];
  const maySend = () => hasLogoutUri(services);
  return new OutboxWorker({ database, dataSealer, clock, senders, onTrouble, onAttempt, maySend, ...PACE });
}
