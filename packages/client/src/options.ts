import { MAX_TIMER_MS } from './sleep.ts';

/** Options of `createAuth`. */
export interface AuthOptions {
  /** Address of the service, such as https://auth.example.com. */
  server: string;
  /** Key of the application, as registered with `authsvc app add`. */
  app: string;
  /** Secret of the application. With it, the client caches visitors. Without it, each check sends a request to authsvc. */
  secret?: string | undefined;
  /** Public origin of the application. Needed if a proxy changes `Host`. Default: scheme and `Host` header of each request. */
  url?: string | undefined;
  /** Further origins whose pages may send requests that change something. */
  origins?: readonly string[] | undefined;
  /** How long a request to authsvc may take, in milliseconds. Default: 3000. */
  timeoutMs?: number | undefined;
  /** Maximum number of cached visitors. Default: 10,000. */
  maxAnswers?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

function check(isFine: boolean, name: string, expected: string): void {
  if (!isFine) throw new TypeError(`${name} must be ${expected}.`);
}

/** Returns the origin of a URL. @throws TypeError if the URL has a path, query, fragment or credentials, or is not http(s) */
function originOf(value: unknown, name: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const isOrigin =
    url !== undefined && /^https?:$/.test(url.protocol) && (url.href === `${url.origin}/` || url.href === url.origin);
  check(isOrigin, name, 'an address such as https://app.example.com, without a path');
  return url?.origin ?? '';
}

/**
 * Checks the options of `createAuth` and fills in the defaults.
 *
 * @throws TypeError if an option is invalid
 * @internal
 */
export function readOptions(options: AuthOptions) {
  const { server, app, secret, url, origins = [], timeoutMs = 3000, maxAnswers = 10_000 } = options;
  check(typeof app === 'string' && /^[a-z][a-z0-9-]{1,63}$/i.test(app), 'app', 'the key of an application');
  check(secret === undefined || (typeof secret === 'string' && secret !== ''), 'secret', 'a non-empty string');
  check(Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS, 'timeoutMs', 'milliseconds');
  check(Number.isInteger(maxAnswers) && maxAnswers > 0, 'maxAnswers', 'a whole number above 0');
  check(Array.isArray(origins), 'origins', 'a list');
  const ask = options.fetch ?? fetch;
  check(typeof ask === 'function', 'fetch', 'a function');
  return {
    server: originOf(server, 'server'),
    app: app.toLowerCase(),
    secret,
    url: url === undefined ? undefined : originOf(url, 'url'),
    origins: origins.map((origin) => originOf(origin, 'origins')),
    timeoutMs,
    maxAnswers,
    fetch: (...given: Parameters<typeof fetch>) => ask(...given),
  };
}
