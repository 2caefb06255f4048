import { BlockList, isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Settings } from '../settings/table.ts';
import { parseAddress } from './parse-address.ts';

/**
 * Returns whether the forwarding headers of this address are trusted. The address may be in any notation that
 * proxies use.
 */
export type IsTrusted = (address: string) => boolean;

const namedNetworks: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Maximum number of cached results, for peers and for the addresses that they report. A service has few proxies. */
const MAX_REMEMBERED = 1000;

const familyOf = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * Creates the check for TRUST_PROXY, which is a list of addresses, networks and names, or all proxies, or none.
 *
 * The address of each hop is parsed like a client address, because some proxies append the port of the previous
 * proxy.
 *
 * @see RFC 7239 §8.1; named networks: RFC 1122 §3.2.1.3, RFC 3927, RFC 1918, RFC 4193, RFC 4291
 */
export function createIsTrusted(proxies: Settings['TRUST_PROXY']): IsTrusted {
  if (typeof proxies === 'boolean') return () => proxies;
  const list = new BlockList();
  for (const entry of proxies.flatMap((name) => namedNetworks[name] ?? name)) {
    const [network = '', length] = entry.split('/');
    if (length === undefined) list.addAddress(network, familyOf(network));
    else list.addSubnet(network, Number(length), familyOf(network));
  }
  const known = new LRUCache<string, boolean>({ max: MAX_REMEMBERED });
  return (hop) => {
    const address = parseAddress(hop);
    if (address === undefined) return false;
    const answer = known.get(address) ?? list.check(address, familyOf(address));
    known.set(address, answer);
    return answer;
  };
}
