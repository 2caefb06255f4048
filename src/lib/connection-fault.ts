const CERTIFICATE = 'its certificate is not trusted; name the certificate authority in NODE_EXTRA_CA_CERTS';
const NO_TLS = 'it does not speak TLS at this port; check the scheme and port of the address';

const NOT_PACKED = 'its answer is not compressed as its headers say';

/** Failures that last until someone fixes them, by the error code of Node.js or OpenSSL. */
const lasting: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  EPROTO: NO_TLS,
};

const passing: Record<string, string> = {
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke off',
  UND_ERR_SOCKET: 'the connection broke off',
  UND_ERR_CONNECT_TIMEOUT: 'no connection was made in time',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  Z_DATA_ERROR: NOT_PACKED,
  Z_BUF_ERROR: NOT_PACKED,
};

/**
 * Returns the codes of an error and of its causes, the innermost cause first. nodemailer stores the code of a cause
 * in `originalCode`.
 */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const inner = error instanceof AggregateError ? error.errors.flatMap(codesOf) : codesOf(error.cause);
  const { code, originalCode }: Record<string, unknown> = Object(error);
  return [...inner, ...[originalCode, code].filter((one) => typeof one === 'string')];
}

/** The reason why a connection to another server failed. */
export interface ConnectionFault {
  /** A description that contains the error code and has no full stop at the end. */
  reason: string;
  /** Whether the failure lasts until someone fixes it. */
  isLasting: boolean;
}

/** Describes why a connection to another server failed. Returns undefined if the error is unknown. */
export function connectionFault(error: unknown): ConnectionFault | undefined {
  const codes = codesOf(error);
  const find = (reasons: Record<string, string>) => codes.find((code) => Object.hasOwn(reasons, code));
  const [fatal, other] = [find(lasting), find(passing)];
  if (fatal !== undefined) return { reason: `${lasting[fatal]} (${fatal})`, isLasting: true };
  return other === undefined ? undefined : { reason: `${passing[other]} (${other})`, isLasting: false };
}
