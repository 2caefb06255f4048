import { parseEmail } from '../lib/email-address.ts';
import type { Parse } from './parse.ts';

/** A mail server. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte; else STARTTLS if the server offers it. */
  isSecure: boolean;
  user: string | undefined;
  password: string;
}

/** The sender of mails. */
export interface Sender {
  /** Empty: none. */
  name: string;
  address: string;
}

const SUBMISSION = 587;
const SUBMISSIONS = 465;

/** Parses the URL of a mail server, with percent-encoded user and password. */
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

/** Parses a sender: an address, or a name and an address in angle brackets. */
export const parseSender: Parse<Sender> = (text) => {
  const [, quoted = '', inBrackets] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? [];
  const email = parseEmail(inBrackets ?? text);
  const name = quoted.trim().replace(/^"(.*)"$/, '$1');
  if (!email || /[\p{Cc}"]/u.test(name)) throw new Error('an e-mail address, or a name and an address: Name <a@b>');
  return { name, address: email.address };
};
