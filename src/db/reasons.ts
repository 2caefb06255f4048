import { dirname } from 'node:path';
import { accessFault, describeFileFault, kindFault } from '../lib/file-fault.ts';
import type { Place } from './place.ts';

interface Fault {
  code: string;
  message: string;
  /** For a connection error: the host, or the path of a socket. */
  address: string;
  port: string;
  hostname: string;
  /** The setting or option that contains the URL. */
  givenBy: string;
}

type Explain = (fault: Fault) => string;

const certificate =
  (what: string): Explain =>
  ({ givenBy }) =>
    `the server's certificate ${what}. To trust a certificate authority of your own, set sslrootcert=FILE in ${givenBy}`;
const untrusted = certificate('is not signed by an authority that this machine trusts');
const late = () => 'the server gave no answer in time';
const noRoute = () => 'this machine has no route to the server';
const noTls: Explain = ({ givenBy }) =>
  `the server does not offer TLS. If no one else can read the connection, set sslmode=disable in ${givenBy}`;
const noPassword: Explain = ({ givenBy }) => `the server asks for a password, and ${givenBy} has none`;

const byCode: Record<string, Explain> = {
  ECONNREFUSED: ({ address, port }) => `no server listens at ${address}${port && `, port ${port}`}`,
  ENOENT: ({ address, message }) => (address ? `no server listens at the socket ${address}` : message),
  EACCES: ({ address, message }) => (address ? `this user may not use the socket ${address}` : message),
  ENOTFOUND: ({ hostname }) => `no host has the name ${hostname}`,
  EAI_AGAIN: () => 'the name servers of this machine do not answer',
  ETIMEDOUT: late,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  EADDRNOTAVAIL: noRoute,
  ECONNRESET: () => 'the server closed the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: certificate('has expired, or the clock of this machine is wrong'),
  CERT_NOT_YET_VALID: certificate('is not valid yet, or the clock of this machine is wrong'),
  ERR_TLS_CERT_ALTNAME_INVALID: certificate('is for another host name'),
  EPROTO: noTls,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
};

/** Explanations by message, for driver errors that have no code. */
const byText: [RegExp, Explain][] = [
  [/^timeout expired$|due to connection timeout|^Query read timeout$/, late],
  [/^Connection terminated/, () => 'the server closed the connection'],
  [/does not support SSL/, noTls],
  [/client password must be a( non-empty)? string/, noPassword],
  [/^file is not a database$/, () => 'the file is not an SQLite database'],
  [/^database disk image is malformed$/, () => 'the file is damaged. Restore a backup'],
  [/^database or disk is full$/, () => 'no space is left on the disk'],
  [/^disk I\/O error$/, () => 'the disk failed to read or write the file'],
  [/^database is locked$/, () => 'another process has locked the file for too long'],
  [/^attempt to write a readonly database$/, () => 'the file can only be read'],
  [/unable to open database file$/, () => 'the file cannot be opened'],
  [/error establishing an SSL connection/, () => 'the server does not answer as PostgreSQL does'],
];

function textOf(value: object, name: string): string {
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
}

function toFault(error: Error, givenBy: string): Fault {
  return {
    givenBy,
    code: textOf(error, 'code'),
    message: error.message.replace(/\s+/g, ' ').trim(),
    address: textOf(error, 'address'),
    port: textOf(error, 'port'),
    hostname: textOf(error, 'hostname'),
  };
}

/** Returns the paths of the files that belong to an SQLite database. */
const filesOf = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`];

/** Returns an error if one of the paths of an SQLite database is not a file but, for example, a folder. */
export const wrongKind = (file: string): Error | undefined =>
  filesOf(file)
    .map(kindFault)
    .find((fault) => fault !== undefined);

/**
 * Returns the error that keeps this process from using an SQLite database. Checks the folder, the file and the files
 * next to it. SQLite itself opens a read-only file without an error, and fails only at the first write.
 */
export function fileFault(file: string): Error | undefined {
  return wrongKind(file) ?? [dirname(file), ...filesOf(file)].map(accessFault).find((fault) => fault !== undefined);
}

/**
 * Describes why a database cannot be used. Uses the driver's own text only if the cause is unknown.
 *
 * @returns text without a final full stop
 */
export function describeDatabaseFault(place: Pick<Place, 'file'> & Partial<Place>, error: unknown): string {
  const { file, givenBy = 'DATABASE_URL' } = place;
  const closed = file === undefined ? undefined : fileFault(file);
  if (closed) return describeFileFault(closed);
  // This error has no message of its own. It contains one error for each address of the host.
  if (error instanceof AggregateError)
    return [...new Set(error.errors.map((one) => describeDatabaseFault(place, one)))].join('; ');
  if (!(error instanceof Error)) return String(error);
  if ('path' in error) return describeFileFault(error);
  const fault = toFault(error, givenBy);
  if (fault.code.startsWith('ERR_OSSL_'))
    return `a file that ${givenBy} names in sslcert or sslkey holds no certificate or key in PEM form`;
  const known = byCode[fault.code] ?? byText.find(([pattern]) => pattern.test(fault.message))?.[1];
  return known?.(fault) ?? (fault.message || fault.code || 'no reason was given');
}
