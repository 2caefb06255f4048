import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { getPublicSuffix } from 'tldts';
import type { Parse } from './parse.ts';

/** Matches letters and digits of any script, dots and hyphens. A URL with a path or a port does not match. */
const WORDS = /^[\p{L}\p{M}\p{N}.-]+$/u;
const NAME = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}$/;

/**
 * Parses a root domain and converts it to ASCII, as cookies contain it: `müller.example` becomes
 * `xn--mller-kva.example` (RFC 5891). Refuses a domain under which anyone can register a domain, such as co.uk (RFC
 * 6265bis §5.7).
 */
export const parseDomain: Parse<string> = (text) => {
  const name = text.replace(/^\./, '').toLowerCase();
  const domain = WORDS.test(name) ? domainToASCII(name) : '';
  if (!NAME.test(domain) || ipaddr.isValid(domain)) throw new Error('a domain name with a dot in it');
  const isShared = getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
  if (isShared) throw new Error(`a domain of your own, because browsers accept no cookie that all of ${domain} shares`);
  return domain;
};
