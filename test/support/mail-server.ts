import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  to: string[];
  raw: string;
  /** The text of the mail, after the transport encoding is decoded. */
  text: string;
}

/** A mail server that keeps the mails that it gets, or misbehaves in the way that `mode` says. */
export interface MailServer {
  settings: Record<string, string>;
  mails: ReceivedMail[];
  /** How many connections were opened. */
  connections: number;
  mode: 'take' | 'refuse' | 'hang' | 'garbage';
  close(): Promise<void>;
}

function decode(raw: string): string {
  const [head = '', ...body] = raw.split('\r\n\r\n');
  const text = body.join('\n\n');
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(text, 'base64').toString();
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return text;
  const bytes = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** Starts a mail server on a free port. */
export async function startMailServer(): Promise<MailServer> {
  const held: (() => void)[] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onConnect: (_session, done) => {
      state.connections += 1;
      if (state.mode === 'hang') held.push(() => done());
      else done();
    },
    onMailFrom: (_address, _session, done) => {
      if (state.mode === 'refuse') done(Object.assign(new Error('later'), { responseCode: 451 }));
      else if (state.mode === 'garbage') done(Object.assign(new Error(`\0${'x'.repeat(5000)}`), { responseCode: 299 }));
      else done();
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const raw = Buffer.concat(chunks).toString();
        state.mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw, text: decode(raw) });
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = server.server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const state: MailServer = {
    settings: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Accounts <accounts@box.test>' },
    mails: [],
    connections: 0,
    mode: 'take',
    close: () => {
      for (const release of held) release();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return state;
}
