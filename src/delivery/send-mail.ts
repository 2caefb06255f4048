import { connect, type Socket } from 'node:net';
import { SECOND_MS } from '../lib/clock.ts';
import type { Sender as From, SmtpServer } from '../settings/parse-mail.ts';
import { MAIL, type Mail } from './mail.ts';
import type { Message, Sender } from './sender.ts';

const CONNECT_MS = 10 * SECOND_MS;
const SILENCE_MS = 20 * SECOND_MS;

/** Error of the mail server for the log. Leaves out the server's text, which may contain people's addresses. */
class MailError extends Error {
  readonly code: string | undefined;
  readonly responseCode: number | undefined;
  constructor(cause: unknown) {
    super('the mail server did not take a mail');
    this.name = 'MailError';
    const { code, responseCode } = Object(cause);
    this.code = typeof code === 'string' ? code : undefined;
    this.responseCode = typeof responseCode === 'number' ? responseCode : undefined;
  }
}

function isMail(payload: unknown): payload is Mail {
  const { to, subject, text } = Object(payload);
  return [to, subject, text].every((value) => typeof value === 'string');
}

/** Opens a connection. It is closed when `signal` is aborted. */
function openSocket({ host, port }: SmtpServer, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const end = () => socket.destroy(new Error('stopping'));
    const timer = setTimeout(() => socket.destroy(new Error('the mail server cannot be reached')), CONNECT_MS);
    signal.addEventListener('abort', end, { once: true });
    socket.once('close', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    });
    socket.once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    if (signal.aborted) end();
  });
}

interface MailParts {
  server: SmtpServer;
  from: From;
  /** Public host name of the service, used in the Message-ID of mails. */
  host: string;
}

/** Creates a connection to the mail server that is closed when `signal` is aborted. Loads the library only when called. */
async function createMailTransport({ server, host }: Pick<MailParts, 'server' | 'host'>, signal: AbortSignal) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    ...(server.user === undefined ? {} : { auth: { user: server.user, pass: server.password } }),
    name: host,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options, callback) => {
      openSocket(server, signal).then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error, undefined),
      );
    },
  });
}

/**
 * Connects to the mail server and authenticates, but sends nothing.
 *
 * @throws the error of the library or of the connection
 */
export async function tryMailServer(parts: Pick<MailParts, 'server' | 'host'>, signal: AbortSignal): Promise<void> {
  const transport = await createMailTransport(parts, signal);
  try {
    await transport.verify();
  } finally {
    transport.close();
  }
}

/**
 * Sends mails over SMTP. Each mail has its own connection.
 *
 * A mail has the same Message-ID in every attempt, so that the receiving mailbox can recognize duplicates.
 *
 * @see RFC 5321; RFC 3834 §5
 */
export const mailSender = ({ server, from, host }: MailParts): Sender => ({
  kind: MAIL,
  send: async ({ id, payload }: Message, signal) => {
    if (!isMail(payload)) throw new Error('not a mail');
    const transport = await createMailTransport({ server, host }, signal);
    try {
      await transport.sendMail({
        from: { name: from.name, address: from.address },
        to: { name: '', address: payload.to },
        subject: payload.subject.replace(/\p{Cc}+/gu, ' '),
        text: payload.text,
        messageId: `<${id}@${host}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      });
      return undefined;
    } catch (error) {
      throw new MailError(error);
    } finally {
      transport.close();
    }
  },
});
