/** How an application uses the service. */
export interface AuthOptions {
  /** Address of the service, such as https://auth.example.com. */
  server: string;
  /** Key of the application (`authsvc app add`). */
  app: string;
  /**
   * Secret of the application. With it, answers are kept while a stream of changes is open, and used again only while the
   * stream is known to be alive. Without it, each question is a request to the service.
   */
  secret?: string | undefined;
  /** Public origin of the application, where a proxy changes `Host`; else each request tells. */
  url?: string | undefined;
  /** Other origins whose pages may send requests that change something. */
  origins?: readonly string[] | undefined;
  /** How long a question may take. Default: 3000. */
  timeoutMs?: number | undefined;
  /** How many answers are kept. Default: 10,000. */
  maxAnswers?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function check(isFine: boolean, name: string, expected: string): void {
  if (!isFine) throw new TypeError(`${name} must be ${expected}.`);
}

/** The origin of an address that is nothing but an origin. */
function originOf(value: unknown, name: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  const isOrigin =
    url !== undefined && /^https?:$/.test(url.protocol) && (url.href === `${url.origin}/` || url.href === url.origin);
  check(isOrigin, name, 'an address such as https://app.example.com, without a path');
  return url?.origin ?? '';
}

/**
 * Checks the options of `createAuth` and fills in what is left out.
 *
 * @throws TypeError
 */
export function readOptions(options: AuthOptions) {
  const { server, app, secret, url, origins = [], timeoutMs = 3000, maxAnswers = 10_000 } = options;
  check(typeof app === 'string' && /^[a-z][a-z0-9-]{1,63}$/i.test(app), 'app', 'the key of an application');
  check(secret === undefined || (typeof secret === 'string' && secret !== ''), 'secret', 'a text that is not empty');
  check(Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS, 'timeoutMs', 'milliseconds');
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
