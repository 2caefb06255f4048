import { OutboxWorker, type WorkerParts } from '../delivery/outbox-worker.ts';
import { mailSender } from '../delivery/send-mail.ts';
import type { Services } from '../http/route.ts';
import { forgotSender } from './forgot-password.ts';

/** Creates the worker that sends waiting mails; undefined without a mail server. */
export function createMailing(services: Services, onAttempt: WorkerParts['onAttempt']): OutboxWorker | undefined {
  const { settings, database, dataSealer, clock, log } = services;
  const { SMTP_URL: server, MAIL_FROM: from } = settings;
  if (server === undefined || from === undefined) return undefined;
  const host = new URL(settings.BASE_URL ?? 'http://localhost').hostname;
  const senders = [mailSender({ server, from, host }), forgotSender(services)];
  const onTrouble = (error: unknown, facts: object) => log.warn({ err: error, ...facts }, 'failed to send a mail');
  return new OutboxWorker({ database, dataSealer, clock, senders, onTrouble, onAttempt });
}
