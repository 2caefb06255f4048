import { serialize } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../settings/table.ts';

const PART_SHAPE = /^[\w-]{1,64}$/;

interface CookieRow {
  name: string;
  /** Meant for sibling applications: carries Domain when deployed. All others carry the `__Host-` prefix then. */
  isShared: boolean;
  /** Readable by scripts of the page. */
  isForScripts?: true;
}

/** Every cookie of the service. All are SameSite=Lax and Path=/ (RFC 6265bis §4.1). */
const cookieTable = {
  session: { name: 'session_id', isShared: true },
  csrf: { name: 'csrf_secret', isShared: false },
  secondStep: { name: 'second_step', isShared: false },
  trustedDevice: { name: 'trusted_device', isShared: false },
  accounts: { name: 'remembered_accounts', isShared: false },
  lastLoginMethod: { name: 'last_login_method', isShared: false, isForScripts: true },
} as const satisfies Record<string, CookieRow>;

/** Cookies of which a browser may hold several at once, each named by what follows the dot. */
const familyTable = {
  socialStart: { name: 'social_start', isShared: false },
} as const satisfies Record<string, CookieRow>;

export type CookieKey = keyof typeof cookieTable;
export type CookieFamily = keyof typeof familyTable;

/** One cookie of a family. `part`: letters, digits, `-` and `_`. */
export interface FamilyMember {
  part: string;
  value: string;
}

/** `expiresAt`: ms since the epoch. */
interface CookieLife {
  expiresAt: number;
  now: number;
}

/** Reads and writes the cookies of the table, and no others. */
export interface Cookies {
  /** Every value that the request carries under the name, without repetitions: a browser may hold two (RFC 6265 §5.4). */
  read(request: FastifyRequest, key: CookieKey): string[];
  /** Without a life the cookie lasts as long as the browser runs. */
  set(reply: FastifyReply, key: CookieKey, value: string, life?: CookieLife): void;
  clear(reply: FastifyReply, key: CookieKey): void;
  readFamily(request: FastifyRequest, family: CookieFamily): FamilyMember[];
  setMember(reply: FastifyReply, family: CookieFamily, member: FamilyMember & CookieLife): void;
  clearMember(reply: FastifyReply, family: CookieFamily, part: string): void;
}

/** The values of one cookie in a Cookie header, in its order. */
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

/** The cookies of a family in a Cookie header; `prefix` is what their names begin with. */
export function cookieMembers(header: string | undefined, prefix: string): FamilyMember[] {
  if (!header?.includes(prefix)) return [];
  return header.split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    const part = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return PART_SHAPE.test(part) ? [{ part, value }] : [];
  });
}

const spanOf = ({ expiresAt, now }: CookieLife) => ({
  maxAge: Math.max(0, Math.round((expiresAt - now) / 1000)),
  expires: new Date(expiresAt),
});
const gone = { maxAge: 0, expires: new Date(0) };

/** Makes the cookies of a service with these settings. */
export function createCookies({ IS_DEPLOYED, DOMAIN }: Pick<Settings, 'IS_DEPLOYED' | 'DOMAIN'>): Cookies {
  const isPrefixed = (row: CookieRow) => IS_DEPLOYED && !row.isShared;
  const nameOf = (row: CookieRow) => (isPrefixed(row) ? `__Host-${row.name}` : row.name);
  const memberRow = (row: CookieRow, part: string): CookieRow => ({ ...row, name: `${row.name}.${part}` });
  const write = (reply: FastifyReply, row: CookieRow, value: string, life: { maxAge?: number; expires?: Date }) => {
    const line = serialize(nameOf(row), value, {
      path: '/',
      httpOnly: !row.isForScripts,
      sameSite: 'lax',
      secure: IS_DEPLOYED,
      ...(IS_DEPLOYED && DOMAIN && row.isShared ? { domain: `.${DOMAIN}` } : {}),
      ...life,
    });
    reply.header('set-cookie', line);
  };
  return {
    read: (request, key) => cookieValues(request.headers.cookie, nameOf(cookieTable[key])),
    set: (reply, key, value, life) => write(reply, cookieTable[key], value, life ? spanOf(life) : {}),
    clear: (reply, key) => write(reply, cookieTable[key], '', gone),
    readFamily: (request, family) => cookieMembers(request.headers.cookie, `${nameOf(familyTable[family])}.`),
    setMember: (reply, family, { part, value, ...life }) =>
      write(reply, memberRow(familyTable[family], part), value, spanOf(life)),
    clearMember: (reply, family, part) => write(reply, memberRow(familyTable[family], part), '', gone),
  };
}
