import { serialize } from 'cookie';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import type { Settings } from '../settings/table.ts';
import type { ReplyView } from './reply.ts';

const PART_SHAPE = /^[\w-]{1,64}$/;

interface CookieRow {
  name: string;
  /**
   * Whether sibling applications get the cookie too. In production, a shared cookie has a Domain attribute; all
   * other cookies have the `__Host-` prefix instead.
   */
  isShared: boolean;
  /** Whether scripts of the page can read the cookie. */
  isForScripts?: true;
  /** Whether pages in the browser's cache depend on the cookie. Clearing the cookie then clears the cache too. */
  hasCache?: true;
}

/** Every cookie of the service. All are SameSite=Lax and Path=/ (RFC 6265bis §4.1). */
const cookieTable = {
  session: { name: 'session_id', isShared: true, hasCache: true },
  csrf: { name: 'csrf_secret', isShared: false },
  trustedDevice: { name: 'trusted_device', isShared: false },
  knownBrowser: { name: 'known_browser', isShared: false },
  accounts: { name: 'remembered_accounts', isShared: false },
  lastLoginMethod: { name: 'last_login_method', isShared: false, isForScripts: true },
  /**
   * The following cookies are families. A browser may hold several cookies of a family, each with its own part
   * after the dot.
   */
  secondStep: { name: 'second_step', isShared: false },
  socialStart: { name: 'social_start', isShared: false },
  shownOnce: { name: 'shown_once', isShared: false },
} as const satisfies Record<string, CookieRow>;

export type CookieFamily = 'secondStep' | 'socialStart' | 'shownOnce';
export type CookieKey = Exclude<keyof typeof cookieTable, CookieFamily>;

/** One cookie of a family. `part` is the name after the dot and consists of letters, digits, `-` and `_`. */
export interface FamilyMember {
  part: string;
  value: string;
}

/**
 * A cookie to set or clear in the browser. A rule returns it, and the route writes it into the reply.
 *
 * `part` selects one cookie of a family. `expiresAt` is in milliseconds since the epoch. Without it, the cookie
 * lasts until the browser is closed.
 */
export type CookieChange =
  | { cookie: keyof typeof cookieTable; part?: string; value: string; expiresAt?: number }
  | { clear: keyof typeof cookieTable; part?: string };

/** Reads and writes the cookies of the service. Cookies that are not in the table are ignored. */
export interface Cookies {
  /**
   * Returns every distinct value of a cookie in the request. A browser may send two cookies with the same name (RFC
   * 6265 §5.4).
   */
  read(request: FastifyRequest, key: CookieKey): string[];
  /** Does the same as `read` for a Cookie header that another service received. */
  readHeader(header: string | undefined, key: CookieKey): string[];
  readFamily(request: FastifyRequest, family: CookieFamily): FamilyMember[];
  /**
   * Writes changes into the reply.
   *
   * A cookie is cleared once for each Domain that it may have been set with, because the request does not show the
   * Domain. Otherwise the browser would keep sending a cookie that was set before DOMAIN was configured or changed.
   *
   * A cookie that the request does not contain is not cleared, because of a bug in curl 7.88: it ignores all
   * cookies of a reply whose last cookie clears one that curl does not have.
   */
  apply(target: { request: FastifyRequest; reply: ReplyView }, changes: readonly CookieChange[]): void;
}

/** Returns the distinct values of a cookie in a Cookie header, in the order of the header. */
export function cookieValues(header: string | undefined, name: string): string[] {
  const found: string[] = [];
  if (!header?.includes(name)) return found;
  for (const part of header.split(';')) {
    const at = part.indexOf('=');
    if (at < 0 || part.slice(0, at).trim() !== name) continue;
    const value = part.slice(at + 1).trim();
    if (value && !found.includes(value)) found.push(value);
  }
  return found;
}

/**
 * Returns the cookies of a family in a Cookie header.
 *
 * @param prefix start of the names of the family's cookies
 */
export function cookieMembers(header: string | undefined, prefix: string): FamilyMember[] {
  if (!header?.includes(prefix)) return [];
  return header.split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    const part = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return PART_SHAPE.test(part) ? [{ part, value }] : [];
  });
}

/** Returns whether a Cookie header contains a cookie with this name, even with an empty value. */
const isSent = (header: string | undefined, name: string): boolean =>
  header?.split(';').some((pair) => pair.split('=', 1)[0]?.trim() === name) ?? false;

type CookieSettings = Pick<Settings, 'IS_DEPLOYED' | 'DOMAIN' | 'BASE_URL'>;

/**
 * Returns the Domain attributes that a shared cookie of this host may have been set with; undefined is a host-only
 * cookie. The current one comes last.
 */
function possibleDomains({ IS_DEPLOYED, DOMAIN, BASE_URL }: CookieSettings): (string | undefined)[] {
  if (!IS_DEPLOYED) return [undefined];
  const host = BASE_URL === undefined ? '' : new URL(BASE_URL).hostname;
  const labels = /[a-z]/.test(host) ? host.split('.') : [];
  const parents = labels.slice(0, -1).map((_label, at) => labels.slice(at).join('.'));
  const present = DOMAIN || undefined;
  return [...[undefined, ...parents].filter((domain) => domain !== present), present];
}

const lifeOf = (expiresAt: number | undefined, now: number) =>
  expiresAt === undefined
    ? {}
    : { maxAge: Math.max(0, Math.round((expiresAt - now) / 1000)), expires: new Date(expiresAt) };
const GONE = { maxAge: 0, expires: new Date(0) };

/** Creates the functions that read and write cookies. */
export function createCookies(settings: CookieSettings, clock: Clock): Cookies {
  const { IS_DEPLOYED } = settings;
  const domains = possibleDomains(settings);
  const domainsOf = (row: CookieRow) => (row.isShared ? domains : [undefined]);
  const nameOf = (row: CookieRow, part?: string) => {
    const name = part === undefined ? row.name : `${row.name}.${part}`;
    return IS_DEPLOYED && !row.isShared ? `__Host-${name}` : name;
  };
  const lineOf = (row: CookieRow, cookie: { name: string; value: string; domain: string | undefined }, life: object) =>
    serialize(cookie.name, cookie.value, {
      path: '/',
      httpOnly: !row.isForScripts,
      sameSite: 'lax',
      secure: IS_DEPLOYED,
      ...(cookie.domain === undefined ? {} : { domain: `.${cookie.domain}` }),
      ...life,
    });
  const linesOf = (header: string | undefined, change: CookieChange): string[] => {
    const row: CookieRow = cookieTable['clear' in change ? change.clear : change.cookie];
    const name = nameOf(row, change.part);
    const held = isSent(header, name) ? domainsOf(row) : [];
    const cleared = (domain: string | undefined) => lineOf(row, { name, value: '', domain }, GONE);
    if ('clear' in change) return held.map(cleared);
    const domain = domainsOf(row).at(-1);
    const others = held.filter((other) => other !== domain).map(cleared);
    return [...others, lineOf(row, { name, value: change.value, domain }, lifeOf(change.expiresAt, clock.now()))];
  };
  return {
    read: (request, key) => cookieValues(request.headers.cookie, nameOf(cookieTable[key])),
    readHeader: (header, key) => cookieValues(header, nameOf(cookieTable[key])),
    readFamily: (request, family) => cookieMembers(request.headers.cookie, `${nameOf(cookieTable[family])}.`),
    apply: ({ request, reply }, changes) => {
      for (const change of changes) {
        for (const line of linesOf(request.headers.cookie, change)) reply.header('set-cookie', line);
        const isCacheGone = 'clear' in change && 'hasCache' in cookieTable[change.clear];
        if (isCacheGone) reply.header('clear-site-data', '"cache"');
      }
    },
  };
}
