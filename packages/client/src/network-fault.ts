/** Patterns of error codes, and the fault that each means. The codes are those of Node.js, OpenSSL and Bun. */
const faults: readonly (readonly [codes: RegExp, fault: string])[] = [
  [/^ENOTFOUND$/, 'no host has this name. Check its spelling, and the name servers of this machine'],
  [/^EAI_AGAIN$/, 'the name servers of this machine do not answer'],
  [/^(ECONNREFUSED|ConnectionRefused)$/, 'nothing listens at this address and port'],
  [/^(ECONNRESET|ConnectionClosed|UND_ERR_SOCKET|EPIPE)$/, 'the connection was closed before an answer came'],
  [/^(ETIMEDOUT|UND_ERR_\w+_TIMEOUT|TimeoutError)$/, 'there was no answer in time'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'this machine has no route to it'],
  [
    /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/,
    'it does not speak TLS. If it uses plain http, write an address that begins with http://',
  ],
  [/^HPE_/, 'it does not speak http. If it uses https, write an address that begins with https://'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host name'],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired, or the clock of this machine is wrong'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet, or the clock of this machine is wrong'],
  [
    /^(\w*SELF_SIGNED_CERT\w*|UNABLE_TO_(GET_ISSUER_CERT\w*|VERIFY_LEAF_SIGNATURE))$/,
    'its certificate is not signed by an authority that this machine trusts. In Node.js, NODE_EXTRA_CA_CERTS names a file with further authorities',
  ],
  // Error codes of Node's zlib and Brotli decompression.
  [
    /^(Z_|ERR__ERROR_)/,
    'its answer is not compressed as its headers say. Check the proxies between this machine and the server',
  ],
];

/** For a port that the Fetch Standard blocks. */
const BAD_PORT = 'fetch refuses this port, which belongs to another protocol. Run the service on another port';

function* chainOf(error: unknown): Generator<Error> {
  for (let at = error; at instanceof Error; at = at.cause) {
    yield at;
    if (at instanceof AggregateError) yield* at.errors.filter((inner) => inner instanceof Error);
  }
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name);

/**
 * Describes why a request got no reply. Uses its own wording for known causes, and the message of the innermost error for
 * all others.
 *
 * @param error what `fetch` threw. The function searches its chain of causes for a known code
 * @returns text that completes "HOST cannot be reached: …", without a final full stop
 */
export function describeFault(error: unknown): string {
  const chain = [...chainOf(error)];
  for (const code of chain.map(codeOf)) {
    const [, fault] = faults.find(([codes]) => codes.test(code)) ?? [];
    if (fault !== undefined) return fault;
  }
  const innermost = chain.at(-1);
  if (innermost?.message === 'bad port') return BAD_PORT;
  return innermost ? innermost.message || innermost.name : String(error);
}
