const SHAPE = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)((?:\/[^?#]*)?(?:\?[^#]*)?)$/;

/** Modes that node-postgres treats as verify-full, with a warning on standard error in each process. */
const STRICT_MODES = ['prefer', 'require', 'verify-ca'];

function toServer(scheme: string, user: string, host: string, rest: string): URL | undefined {
  // The URL of a user without a host, as for a socket, cannot be parsed; the parameter `host` replaces this one.
  const text = `${scheme}${user}${host === '' && user !== '' ? 'localhost' : host}${rest}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Returns one URL for each server that a PostgreSQL URL names, in its order.
 *
 * @returns undefined if the text is no such URL. A server without a port has PostgreSQL's own
 * @see PostgreSQL, libpq, Connection URIs and Specifying Multiple Hosts
 */
export function postgresServers(text: string): URL[] | undefined {
  const [, scheme, user = '', hosts, rest = ''] = SHAPE.exec(text) ?? [];
  if (scheme === undefined || hosts === undefined) return undefined;
  const servers = hosts.split(',').map((host) => toServer(scheme, user, host, rest));
  const known = servers.filter((server) => server !== undefined);
  const areFine = known.length === servers.length && (known.length === 1 || known.every(({ hostname }) => hostname));
  return areFine ? known : undefined;
}

/** The URL of a server for the driver, without a warning. Every mode with TLS checks the certificate. */
export function driverUrl(server: URL): string {
  const url = new URL(server);
  const isStrict = STRICT_MODES.includes(url.searchParams.get('sslmode') ?? '');
  if (isStrict && url.searchParams.get('uselibpqcompat') !== 'true') url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/** Where a server is: host and port, or the folder of its socket. */
export function postgresHost({ host, hostname, searchParams }: URL): string {
  const given = searchParams.get('host');
  if (given !== null) return given;
  return /^%2f/i.test(hostname) ? decodeURIComponent(hostname) : host;
}
