import ipaddr from 'ipaddr.js';

/** An address as a proxy may write it: with a port, in brackets, with a zone. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const trimmed = text.trim();
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed) ?? [];
  const [, withPort] = /^([\d.]+):\d+$/.exec(trimmed) ?? [];
  const bare = bracketed ?? withPort ?? trimmed;
  return ipaddr.isValid(bare) && /[.:]/.test(bare) ? ipaddr.process(bare) : undefined;
}

/**
 * The name under which a client's requests are counted: its IPv4 address, or the /64 network of its IPv6 address,
 * inside which one client can take any address it likes.
 *
 * Needs   claimed: the address that the trusted proxies report. peer: the other end of the connection, used where
 *         the claim is no address.
 */
export function limitKey(claimed: string, peer: string): string {
  const address = parseAddress(claimed) ?? parseAddress(peer);
  if (!address) return 'unknown';
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
