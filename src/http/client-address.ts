import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parseAddress } from './parse-address.ts';

/** What tells of a client where it is. */
export interface Whereabouts {
  /** The address that the trusted proxies report. */
  ip: string;
  socket: { remoteAddress?: string | undefined };
}

/** The other end of the connection stands in where the proxies report what is no address. */
function addressOf({ ip, socket }: Whereabouts): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = parseAddress(ip) ?? parseAddress(socket.remoteAddress ?? '');
  return address === undefined ? undefined : ipaddr.process(address);
}

/** The address of a client in one way of writing, as it is kept, logged and shown. IPv4 has only one. */
export function clientAddress(client: Whereabouts): string {
  // Asked once: a request looks through its proxies each time.
  const { ip } = client;
  return isIPv4(ip) ? ip : (addressOf(client)?.toString() ?? 'unknown');
}

/**
 * The name under which a client's requests are counted: its IPv4 address, or the /64 network of its IPv6 address,
 * inside which one client can take any address it likes.
 */
export function limitKey(client: Whereabouts): string {
  if (isIPv4(client.ip)) return client.ip;
  const address = addressOf(client);
  if (!(address instanceof ipaddr.IPv6)) return clientAddress(client);
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
