import ipaddr from 'ipaddr.js';
import { getPublicSuffix } from 'tldts';
import type { Parse } from './parse.ts';

const NAME = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}$/;

/** A root domain. One under which anybody can have a domain, such as co.uk, is refused (RFC 6265bis §5.7). */
export const parseDomain: Parse<string> = (text) => {
  const domain = text.replace(/^\./, '').toLowerCase();
  if (!NAME.test(domain) || ipaddr.isValid(domain)) throw new Error('a domain name with a dot in it');
  const isShared = getPublicSuffix(domain, { allowPrivateDomains: true }) === domain;
  if (isShared) throw new Error(`a domain of your own; browsers take no cookie for all of ${domain}`);
  return domain;
};
