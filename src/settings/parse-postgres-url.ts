import { accessSync, constants } from 'node:fs';
import { decodePercent } from '../lib/percent-encoding.ts';
import type { Parse } from './parse.ts';
import { postgresServers } from './postgres-url.ts';

/** The form of a PostgreSQL URL, for messages. */
export const POSTGRES_URL = 'postgres://USER:PASSWORD@HOST:PORT/DATABASE';
const ENCODED =
  'a user or password with one of the characters % @ : / ? # is percent-encoded (%25 %40 %3A %2F %3F %23)';

const oneOf =
  (...choices: string[]) =>
  (value: string): string | undefined =>
    choices.includes(value) ? undefined : `one of ${choices.join(', ')}`;

const anything = () => undefined;
const number = (value: string) => (/^\d{1,9}$/.test(value) ? undefined : 'a number');

function readableFile(value: string): string | undefined {
  try {
    accessSync(value, constants.R_OK);
    return undefined;
  } catch {
    return 'a file that the system user of this process can read';
  }
}

/**
 * The URL parameters that the driver supports, each with a check of its value. Other parameters are refused, because
 * the driver would silently ignore them.
 */
const parameters: Record<string, (value: string) => string | undefined> = {
  host: (value) =>
    /^(\/.*|[^,/]+)$/.test(value)
      ? undefined
      : 'the folder of a socket, or one host; write several hosts before the path',
  port: number,
  user: anything,
  password: anything,
  ssl: oneOf('true', 'false', '1', '0', 'no-verify'),
  sslmode: oneOf('disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'),
  sslcert: readableFile,
  sslkey: readableFile,
  sslrootcert: readableFile,
  sslnegotiation: oneOf('postgres', 'direct'),
  uselibpqcompat: oneOf('true', 'false'),
  client_encoding: (value) => (/^utf-?8$/i.test(value) ? undefined : 'UTF8'),
  application_name: anything,
  options: anything,
  statement_timeout: number,
  lock_timeout: number,
  idle_in_transaction_session_timeout: number,
  target_session_attrs: oneOf('any', 'read-write', 'primary'),
};

function requireParameters({ searchParams }: URL): void {
  const names = [...searchParams.keys()];
  const unknown = names.filter((name) => !Object.hasOwn(parameters, name));
  if (unknown.length > 0)
    throw new Error(
      `no parameter ${unknown.join(', ')}, because the allowed parameters are ${Object.keys(parameters).join(', ')}`,
    );
  for (const [name, value] of searchParams) {
    if (names.filter((other) => other === name).length > 1) throw new Error(`the parameter ${name} only once`);
    const wanted = parameters[name]?.(value);
    if (wanted !== undefined) throw new Error(`the parameter ${name} to be ${wanted}`);
  }
  const isLoose = searchParams.get('uselibpqcompat') === 'true' && searchParams.get('sslmode') === 'verify-ca';
  if (isLoose && !searchParams.has('sslrootcert'))
    throw new Error('the parameter sslrootcert with sslmode=verify-ca and uselibpqcompat=true');
}

/**
 * Parses the URL of a PostgreSQL database. It names one server, or several servers of which one accepts writes.
 *
 * @throws Error with what was expected; it contains no part of the text, because the text holds a password
 */
export const parsePostgresUrl: Parse<string> = (text) => {
  const servers = postgresServers(text);
  const [first, ...more] = servers ?? [];
  if (!first) throw new Error(text.includes('@') ? `${POSTGRES_URL}; ${ENCODED}` : POSTGRES_URL);
  const isWhole = [first.username, first.password].every((part) => decodePercent(part) !== undefined);
  // If a password contains an unencoded / or ?, the URL parser takes the rest of the password for a path or for
  // parameters.
  const isCut = first.pathname.includes('@') || (first.username === '' && first.search.includes('@'));
  if (!isWhole || isCut) throw new Error(`${POSTGRES_URL}; ${ENCODED}`);
  requireParameters(first);
  if (more.length === 0) return text;
  if (first.searchParams.has('host')) throw new Error('hosts before the path or in the parameter host, not both');
  if ((first.searchParams.get('target_session_attrs') ?? 'read-write') !== 'read-write')
    throw new Error('target_session_attrs=read-write if there are several hosts');
  return text;
};
