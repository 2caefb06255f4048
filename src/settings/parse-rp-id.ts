import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { parse } from 'tldts';
import type { Parse } from './parse.ts';

const NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Parses a host name to which passkeys can be bound, and converts it to ASCII. Refuses IP addresses, and domains under
 * which anyone can register a host, such as co.uk, because browsers refuse both (Web Authentication Level 3 §5.1.3).
 */
export const parseRpId: Parse<string> = (text) => {
  const name = domainToASCII(text.toLowerCase());
  if (!NAME.test(name) || ipaddr.isValid(name)) throw new Error('a host name, not an IP address');
  const { publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true });
  if (publicSuffix === name && (isIcann || isPrivate))
    throw new Error(`a domain of your own, because browsers bind no passkeys to ${name}`);
  return name;
};
