import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { AppError } from '../errors/app-error.ts';
import { parseAddress } from './parse-address.ts';

/** The addresses from which a client's request came. */
export interface Whereabouts {
  /** The client address that the trusted proxies report. */
  ip: string;
  socket: { remoteAddress?: string | undefined };
}

/** Stands for an address that is not known, because the connection was already closed. */
const UNKNOWN = 'unknown';

/** Parses the client address. Uses the peer address if the proxies report something that is not an address. */
function addressOf({ ip, socket }: Whereabouts): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = parseAddress(ip) ?? parseAddress(socket.remoteAddress ?? '');
  return address === undefined ? undefined : ipaddr.process(address);
}

/**
 * Returns a client address in one canonical notation, for storing, logging and showing. An IPv4 address has only
 * one notation.
 */
export function clientAddress(client: Whereabouts): string {
  // Read only once, because each read of this getter examines all proxies.
  const { ip } = client;
  return isIPv4(ip) ? ip : (addressOf(client)?.toString() ?? UNKNOWN);
}

/**
 * Reads the filter of a list by client address. Any notation of the address matches.
 *
 * @returns the address in the notation of `clientAddress`; undefined without a filter
 * @throws AppError FIELD_INVALID with the field `address`
 */
export function readAddressFilter(text: string | undefined): string | undefined {
  if (!text || text === UNKNOWN) return text || undefined;
  const address = parseAddress(text);
  if (address === undefined) throw new AppError('FIELD_INVALID', { field: 'address' });
  return ipaddr.process(address).toString();
}

const PART_BITS = 16;

/** Returns the network of the first `length` bits of an IPv6 address, in CIDR notation. */
function networkOf({ parts }: ipaddr.IPv6, length: number): string {
  const kept = parts.slice(0, Math.ceil(length / PART_BITS));
  const last = length % PART_BITS;
  const masked = kept.map((part, at) =>
    last > 0 && at === kept.length - 1 ? part & (0xffff << (PART_BITS - last)) : part,
  );
  return `${masked.map((part) => part.toString(16)).join(':')}::/${length}`;
}

/** A key under which a client's requests are counted. `factor` multiplies the budget of a single client. */
export interface LimitKey {
  key: string;
  factor: number;
}

/**
 * The network sizes that a provider assigns to one customer. A larger network may also hold several customers, so
 * it has a larger budget.
 */
const IPV6_NETWORKS = [
  { length: 64, factor: 1 },
  { length: 56, factor: 2 },
  { length: 48, factor: 4 },
];

/**
 * Returns the keys under which a client's requests are counted: its IPv4 address, or the networks of its IPv6
 * address. A client can use every address of its network, so a single IPv6 address is not counted.
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
 * Returns the key under which a client's share of the process is measured: its IPv4 address, or the largest network
 * that a provider assigns to one customer.
 */
export function siteKey(client: Whereabouts): string {
  const { ip } = client;
  if (isIPv4(ip)) return ip;
  const address = addressOf(client);
  return address instanceof ipaddr.IPv6 ? networkOf(address, SITE_LENGTH) : (address?.toString() ?? UNKNOWN);
}
