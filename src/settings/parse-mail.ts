import { parseEmail } from '../lib/email-address.ts';
import type { Parse } from './parse.ts';

/** The mail server that sends the mails of this service. */
export interface SmtpServer {
  host: string;
  port: number;
  /** True: TLS from the first byte. False: STARTTLS if the server offers it. */
  isSecure: boolean;
  user: string | undefined;
  password: string;
}

/** The sender in the From header of mails. */
export interface Sender {
  /** Empty if the header has only the address. */
  name: string;
  address: string;
}

const SUBMISSION = 587;
const SUBMISSIONS = 465;

/** Parses the URL of a mail server. User and password are percent-encoded. */
export const parseSmtpUrl: Parse<SmtpServer> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && ['', '/'].includes(url.pathname) && !url.search && !url.hash;
  if (!url || !isPlain || !/^smtps?:$/.test(url.protocol) || !url.hostname)
    throw new Error('smtp://HOST:PORT or smtps://HOST:PORT, with USER:PASSWORD@ before the host where needed');
  const isSecure = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isSecure ? SUBMISSIONS : SUBMISSION),
    isSecure,
    user: url.username === '' ? undefined : decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
};

/** Parses a sender: an address alone, or a name followed by an address in angle brackets. */
export const parseSender: Parse<Sender> = (text) => {
  const [, quoted = '', inBrackets] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? [];
  const email = parseEmail(inBrackets ?? text);
  const name = quoted.trim().replace(/^"(.*)"$/, '$1');
  if (!email || /[\p{Cc}"]/u.test(name)) throw new Error('an e-mail address, or a name and an address: Name <a@b>');
  return { name, address: email.address };
};
