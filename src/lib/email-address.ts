import { domainToASCII } from 'node:url';

const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;
/** The local part of addresses that mail servers accept without quotation marks. */
const LOCAL = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+$/i;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, 'i');

export interface Email {
  /** The trimmed address as it was typed, with its domain in ASCII. */
  address: string;
  /** A key that is equal for addresses that differ only in case. */
  key: string;
}

/**
 * Parses an e-mail address.
 *
 * @returns undefined for text that some mail servers would not accept as an address
 * @see WHATWG HTML, valid e-mail address; RFC 5321 §4.5.3.1; RFC 5890
 */
export function parseEmail(text: string): Email | undefined {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, at);
  const domain = at > 0 && trimmed.length <= MAX_ADDRESS ? domainToASCII(trimmed.slice(at + 1)) : '';
  const address = `${local}@${domain}`;
  const isRight =
    local.length <= MAX_LOCAL && LOCAL.test(local) && DOMAIN.test(domain) && address.length <= MAX_ADDRESS;
  return isRight ? { address, key: address.toLowerCase() } : undefined;
}
