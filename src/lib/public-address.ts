import { BlockList, isIP } from 'node:net';

/**
 * The networks that are not part of the public internet: loopback, private, shared, link-local, multicast and
 * reserved networks.
 */
const closed = {
  ipv4: [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/3',
  ],
  // All addresses outside 2000::/3 are excluded too.
  ipv6: ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
} as const;

function listOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

const closed4 = listOf('ipv4', closed.ipv4);
const closed6 = listOf('ipv6', closed.ipv6);
const global6 = listOf('ipv6', ['2000::/3']);
/** NAT64 addresses (RFC 6052). Their last 32 bits are the IPv4 address that a gateway connects to. */
const nat64 = listOf('ipv6', ['64:ff9b::/96']);

/** Returns the last 32 bits of an IPv6 address as an IPv4 address. */
function lastIpv4(address: string): string {
  const { hostname } = new URL(`http://[${address}]`);
  const groups = hostname.slice(1, -1).split(':');
  const [high = 0, low = 0] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/**
 * Returns whether an IP address is part of the public internet. An IPv6 address that contains an IPv4 address is
 * not. The exception is NAT64, where the IPv4 address decides.
 *
 * @param address IP address without brackets; any other text is not public
 * @see IANA IPv4 and IPv6 Special-Purpose Address Registries; RFC 6890; RFC 6052
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closed4.check(address);
    case 6:
      if (address.includes('%')) return false;
      if (nat64.check(address, 'ipv6')) return !closed4.check(lastIpv4(address));
      return global6.check(address, 'ipv6') && !closed6.check(address, 'ipv6');
    default:
      return false;
  }
}
