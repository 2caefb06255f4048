import { isIP } from 'node:net';
import { POSTGRES_URL, parsePostgresUrl } from './parse-postgres-url.ts';
import { returnPath } from './return-path.ts';

/** Converts the text of a setting to its value, or throws an Error whose message says what was expected. */
export type Parse<T> = (text: string) => T;

function expected(what: string): never {
  throw new Error(what);
}

export const parseText =
  (maximum = 1024): Parse<string> =>
  (text) =>
    text.length <= maximum ? text : expected(`at most ${maximum} characters`);

export const parseBoolean: Parse<boolean> = (text) => {
  const word = text.toLowerCase();
  if (word === 'true') return true;
  return word === 'false' || word === 'f' ? false : expected('true or false');
};

export const parseInteger =
  (minimum: number, maximum: number): Parse<number> =>
  (text) => {
    const number = Number(text);
    const isWhole = /^\d+$/.test(text) && number >= minimum && number <= maximum;
    return isWhole ? number : expected(`a whole number from ${minimum} to ${maximum}`);
  };

const SECONDS_A_DAY = 86_400;

/**
 * Creates the parser of a number of days. Fractions are allowed, but the time must be at least one second. `allowZero`
 * also allows zero, which means "off".
 */
export const parseDays =
  (maximum: number, { allowZero = false } = {}): Parse<number> =>
  (text) => {
    const days = Number(text);
    const isLong = days * SECONDS_A_DAY >= 1 || (allowZero && days === 0);
    const isFine = /^\d*\.?\d+(e-?\d+)?$/i.test(text) && isLong && days <= maximum;
    return isFine
      ? days
      : expected(
          allowZero
            ? `0, or a number of days from one second up to ${maximum}`
            : `a number of days from one second up to ${maximum}`,
        );
  };

export const parseChoice =
  <const T extends string>(...choices: T[]): Parse<T> =>
  (text) =>
    choices.find((choice) => choice === text) ?? expected(`one of ${choices.join(', ')}`);

const hasCredentials = ({ username, password }: URL) => username !== '' || password !== '';

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : expected('an http or https address');
  const isFine = /^https?:$/.test(url.protocol) && !url.hash && !hasCredentials(url);
  return isFine ? url : expected('an http or https address without fragment and credentials');
}

/** Parses the address where people get help: a web page or a mailto address. */
export const parseSupportUrl: Parse<string> = (text) => {
  if (/^mailto:[^\s@?]+@[^\s@?]+(?:\?\S*)?$/i.test(text) && URL.canParse(text)) return new URL(text).href;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPage = url && /^https?:$/.test(url.protocol) && !hasCredentials(url);
  return isPage ? url.href : expected('an http, https or mailto address without credentials');
};

/**
 * Parses the URL of a provider's endpoint. The URL may have a query of its own, which is kept (RFC 6749 §3.1, §3.2).
 */
export const parseEndpoint: Parse<string> = (text) => httpUrl(text).href;

/**
 * Parses an issuer and keeps its exact text, because issuers are compared exactly, so a final slash matters (OpenID
 * Connect Discovery 1.0 §4.3).
 */
export const parseIssuer: Parse<string> = (text) =>
  httpUrl(text).search ? expected('an http or https address without a query') : text;

/** Parses the public address of the service: scheme, host and port only. */
export const parseOrigin: Parse<string> = (text) => {
  const { href, origin } = httpUrl(text);
  return href === `${origin}/` ? origin : expected('an address without a path');
};

/**
 * Parses the target of a redirect: a path on this host that is safe to redirect to, or a complete http(s) URL. The URL
 * may have no credentials, because visitors see it.
 */
export const parseTarget: Parse<string> = (text) => {
  const isPath = /^\/[^\s\\]*$/.test(text) && returnPath(text, '') === text;
  const isAddress = /^https?:\/\/[^\s\\]+$/.test(text) && URL.canParse(text) && !hasCredentials(new URL(text));
  return isPath || isAddress
    ? text
    : expected('a path that begins with one / and is no sign-in page, or an http(s) address without credentials');
};

export const parseSecret: Parse<string> = (text) => text;

/** Parses a secret that is sent in a header without encoding (RFC 9110 §5.5). */
export const parseHeaderSecret: Parse<string> = (text) =>
  /^[\x20-\x7e]+$/.test(text)
    ? text
    : expected('only printable ASCII characters, because the value is sent in a header');

const PLACEHOLDER = /change.?me|change.?this|your.?(own.?)?secret|example/i;

/**
 * Returns whether a secret has at least `length` characters, is not a repeated text, and does not look like a
 * placeholder.
 */
export const isHardToGuess = (secret: string, length: number): boolean =>
  secret.length >= length && new Set(secret).size >= 8 && !/^(.+?)\1+$/.test(secret) && !PLACEHOLDER.test(secret);

export const MIN_SECRET = 32;

/** Parses one or more secrets, separated by commas. */
export const parseSecrets: Parse<string[]> = (text) => {
  const secrets = text.split(',').map((secret) => secret.trim());
  const isFine = secrets.every((secret) => secret.length >= MIN_SECRET);
  return isFine ? secrets : expected('text of at least 32 characters, or several separated by commas');
};

/**
 * Parses the address of an SQLite file, given as `sqlite:PATH`, or of a PostgreSQL database.
 *
 * `sqlite://./x` means the path ./x. `sqlite://x/y` is refused, because read literally it is a path in the root folder,
 * which the operator hardly means. A database in memory is refused because commands could not reach it. `file:` is
 * refused because it would become part of the file name.
 */
export const parseDatabaseUrl: Parse<string> = (text) => {
  const [, path] = /^sqlite:(?:\/\/(?=\.\.?\/))?(.+)$/.exec(text) ?? [];
  const isFile = path && !/^\/\/(?!\/)|^file:|(^|\/):memory:/.test(path);
  if (isFile) return `sqlite:${path}`;
  return /^postgres(ql)?:/.test(text) ? parsePostgresUrl(text) : expected(`sqlite:PATH of a file or ${POSTGRES_URL}`);
};

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];
const ADDRESS_BITS: Record<number, number> = { 4: 32, 6: 128 };

function isNetwork(text: string): boolean {
  const [, address = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bits = ADDRESS_BITS[isIP(address)];
  return bits !== undefined && Number(length ?? bits) <= bits;
}

/** Parses which proxies are trusted: `true` means all, `false` means none, and a list names them. */
export const parseTrustProxy: Parse<boolean | string[]> = (text) => {
  if (/^(true|false|f)$/i.test(text)) return parseBoolean(text);
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.every((entry) => PROXY_NAMES.includes(entry) || isNetwork(entry))
    ? entries
    : expected(`true, false, or a list of addresses, CIDR ranges and the names ${PROXY_NAMES.join(', ')}`);
};
