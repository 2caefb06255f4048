import { tryMailServer } from '../delivery/send-mail.ts';
import { SECOND_MS } from '../lib/clock.ts';
import { connectionFault } from '../lib/connection-fault.ts';
import { publicHost } from '../settings/passkey-party.ts';
import type { Settings } from '../settings/table.ts';
import { type Finding, failure, fine, skipped } from './finding.ts';

const PATIENCE_MS = 4 * SECOND_MS;

/** Explanations by nodemailer's error code. Its messages are not used: they repeat text from the server, which may be anything. */
const reasons: Record<string, string> = {
  EAUTH: 'it refuses the user or the password',
  ENOAUTH: 'it asks for a user and a password',
  ETLS: 'TLS failed',
  EPROTOCOL: 'it does not answer as a mail server does',
  ECONNECTION: 'it closed the connection',
};

function reasonOf(error: unknown): string {
  const { code, responseCode }: { code?: unknown; responseCode?: unknown } = Object(error);
  const known = connectionFault(error)?.reason ?? reasons[String(code)] ?? 'no connection was made';
  return typeof responseCode === 'number' ? `${known} (status ${responseCode})` : known;
}

/** Checks that the mail server accepts the connection and the credentials. Sends nothing. */
export async function checkMail(settings: Pick<Settings, 'SMTP_URL' | 'BASE_URL' | 'PORT'>): Promise<Finding> {
  const { SMTP_URL: server } = settings;
  if (server === undefined) return skipped('SMTP_URL is not set.');
  const where = `${server.host}, port ${server.port}`;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    await tryMailServer({ server, host: publicHost(settings) }, signal);
    return fine(`The mail server ${where} accepts connections from the service.`);
  } catch (error) {
    const reason = signal.aborted ? 'no answer came within 4 seconds' : reasonOf(error);
    return failure(
      `The mail server ${where} cannot be used: ${reason}.`,
      'Correct SMTP_URL: host, port, smtp or smtps, user and password.',
    );
  }
}
