import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseAddress } from './parse-address.ts';

/** How a client is reached. */
export interface Whereabouts {
  /** The address that the trusted proxies report. */
  ip: string;
  socket: { remoteAddress?: string | undefined };
}

/** If the proxies report something that is not an address, the peer address is used. */
function addressOf({ ip, socket }: Whereabouts): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = parseAddress(ip) ?? parseAddress(socket.remoteAddress ?? '');
  return address === undefined ? undefined : ipaddr.process(address);
}

/** The address of a client in one notation, for storing, logging and showing. IPv4 has only one. */
export function clientAddress(client: Whereabouts): string {
  // Read once: the getter looks through all proxies each time.
  const { ip } = client;
  return isIPv4(ip) ? ip : (addressOf(client)?.toString() ?? 'unknown');
}

const PART_BITS = 16;

/** The network of the first `length` bits of an IPv6 address, in CIDR notation. */
function networkOf({ parts }: ipaddr.IPv6, length: number): string {
  const kept = parts.slice(0, Math.ceil(length / PART_BITS));
  const last = length % PART_BITS;
  const masked = kept.map((part, at) =>
    last > 0 && at === kept.length - 1 ? part & (0xffff << (PART_BITS - last)) : part,
  );
  return `${masked.map((part) => part.toString(16)).join(':')}::/${length}`;
}

/** A key for counting a client's requests, and its budget as a multiple of one client's budget. */
export interface LimitKey {
  key: string;
  factor: number;
}

/** A provider assigns one customer a network of one of these sizes; the larger ones may also hold several customers. */
const IPV6_NETWORKS = [
  { length: 64, factor: 1 },
  { length: 56, factor: 2 },
  { length: 48, factor: 4 },
];

/**
 * The keys for counting a client's requests: its IPv4 address, or the networks of its IPv6 address, because a client
 * can use any address of its network.
 *
 * @see RFC 6177 §2; RIPE-690 §4.2
 */
export function limitKeys(client: Whereabouts): LimitKey[] {
  const address = isIPv4(client.ip) ? undefined : addressOf(client);
  if (!(address instanceof ipaddr.IPv6)) return [{ key: clientAddress(client), factor: 1 }];
  return IPV6_NETWORKS.map(({ length, factor }) => ({ key: networkOf(address, length), factor }));
}

const SITE_LENGTH = 48;

/**
 * The key of a client for its share of the process: its IPv4 address, or the largest network that one customer gets.
 */
export function siteKey(client: Whereabouts): string {
  const { ip } = client;
  if (isIPv4(ip)) return ip;
  const address = addressOf(client);
  return address instanceof ipaddr.IPv6 ? networkOf(address, SITE_LENGTH) : (address?.toString() ?? 'unknown');
}
