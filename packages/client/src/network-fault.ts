const certificate = 'its certificate is not signed by an authority that this machine trusts';

/** The error codes of each fault, by its description. The codes are those of Node.js, OpenSSL and Bun. */
const faults: Record<string, readonly string[]> = {
  'no host has this name. Check its spelling, and the name servers of this machine': ['ENOTFOUND'],
  'the name servers of this machine do not answer': ['EAI_AGAIN'],
  'nothing listens at this address and port': ['ECONNREFUSED', 'ConnectionRefused'],
  'the connection was closed before an answer came': ['ECONNRESET', 'ConnectionClosed', 'UND_ERR_SOCKET', 'EPIPE'],
  'there was no answer in time': [
    'ETIMEDOUT',
    'UND_ERR_CONNECT_TIMEOUT',
    'UND_ERR_HEADERS_TIMEOUT',
    'UND_ERR_BODY_TIMEOUT',
    'TimeoutError',
  ],
  'this machine has no route to it': ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
  'it does not speak TLS. If it uses plain http, write an address that begins with http://': [
    'EPROTO',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  ],
  'its certificate is for another host name': ['ERR_TLS_CERT_ALTNAME_INVALID'],
  'its certificate has expired, or the clock of this machine is wrong': ['CERT_HAS_EXPIRED'],
  'its certificate is not valid yet, or the clock of this machine is wrong': ['CERT_NOT_YET_VALID'],
  [certificate]: [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ],
};

/** Returns the description of an error code, or undefined if the code is unknown. */
const knownFault = (code: string): string | undefined =>
  Object.keys(faults).find((description) => faults[description]?.includes(code));

const NOT_HTTP = 'it does not speak http. If it uses https, write an address that begins with https://';

/** Error codes of Node's zlib and Brotli decompression. */
const UNPACKING = /^(?:Z_|ERR__ERROR_)/;
const NOT_PACKED =
  'its answer is not compressed as its headers say. Check the proxies between this machine and the server';

/** For a port that the Fetch Standard blocks. */
const BAD_PORT = 'fetch refuses this port, which belongs to another protocol. Run the service on another port';

const ownCertificate = 'In Node.js, NODE_EXTRA_CA_CERTS names a file with further authorities';

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
    if (code.startsWith('HPE_')) return NOT_HTTP;
    if (UNPACKING.test(code)) return NOT_PACKED;
    const known = knownFault(code);
    if (known === certificate) return `${known}. ${ownCertificate}`;
    if (known !== undefined) return known;
  }
  const innermost = chain.at(-1);
  if (innermost?.message === 'bad port') return BAD_PORT;
  return innermost ? innermost.message || innermost.name : String(error);
}
