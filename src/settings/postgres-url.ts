const SHAPE = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)((?:\/[^?#]*)?(?:\?[^#]*)?)$/;

/**
 * The values of `sslmode` that node-postgres treats as `verify-full`. For each of them it writes a warning to standard
 * error in every process.
 */
const STRICT_MODES = ['prefer', 'require', 'verify-ca'];

function toServer(scheme: string, user: string, host: string, rest: string): URL | undefined {
  // `new URL` refuses a user without a host, as in the URL of a socket. `localhost` takes the place of the missing
  // host, and the driver uses the parameter `host` instead.
  const text = `${scheme}${user}${host === '' && user !== '' ? 'localhost' : host}${rest}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Returns one URL for each server that a PostgreSQL URL names, in the same order.
 *
 * @returns undefined if the text is not such a URL. The URL of a server without a port has no port, so the driver uses
 *   the default port of PostgreSQL
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

/**
 * Returns the URL of a server for the driver. Modes that the driver treats as `verify-full` are replaced by
 * `verify-full`, so that it does not warn.
 */
export function driverUrl(server: URL): string {
  const url = new URL(server);
  const isStrict = STRICT_MODES.includes(url.searchParams.get('sslmode') ?? '');
  if (isStrict && url.searchParams.get('uselibpqcompat') !== 'true') url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/** Returns the place of a server: host and port, or the folder of its socket. */
export function postgresHost({ host, hostname, searchParams }: URL): string {
  const given = searchParams.get('host');
  if (given !== null) return given;
  return /^%2f/i.test(hostname) ? decodeURIComponent(hostname) : host;
}
