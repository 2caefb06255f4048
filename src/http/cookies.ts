import { serialize } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Settings } from '../settings/table.ts';

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

export type CookieKey = keyof typeof cookieTable;

/** Reads and writes the cookies of the table, and no others. */
export interface Cookies {
  /** Every value that the request carries under the name, without repetitions: a browser may hold two (RFC 6265 §5.4). */
  read(request: FastifyRequest, key: CookieKey): string[];
  /** `expiresAt`: ms since the epoch; without it the cookie lasts as long as the browser runs. */
  set(reply: FastifyReply, key: CookieKey, value: string, life?: { expiresAt: number; now: number }): void;
  clear(reply: FastifyReply, key: CookieKey): void;
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

interface CookieLife {
  maxAge?: number;
  expires?: Date;
}

const GONE: CookieLife = { maxAge: 0, expires: new Date(0) };

/** Makes the cookies of a service with these settings. */
export function createCookies({ IS_DEPLOYED, DOMAIN }: Pick<Settings, 'IS_DEPLOYED' | 'DOMAIN'>): Cookies {
  const isPrefixed = (row: CookieRow) => IS_DEPLOYED && !row.isShared;
  const nameOf = (row: CookieRow) => (isPrefixed(row) ? `__Host-${row.name}` : row.name);
  const write = (reply: FastifyReply, row: CookieRow, value: string, life: CookieLife) => {
    const attributes = { path: '/', httpOnly: !row.isForScripts, sameSite: 'lax', secure: IS_DEPLOYED } as const;
    const domain = IS_DEPLOYED && DOMAIN && row.isShared ? { domain: `.${DOMAIN}` } : {};
    reply.header('set-cookie', serialize(nameOf(row), value, { ...attributes, ...domain, ...life }));
  };
  return {
    read: (request, key) => cookieValues(request.headers.cookie, nameOf(cookieTable[key])),
    set: (reply, key, value, life) => {
      const span = life && {
        maxAge: Math.max(0, Math.floor((life.expiresAt - life.now) / 1000)),
        expires: new Date(life.expiresAt),
      };
      write(reply, cookieTable[key], value, span ?? {});
    },
    clear: (reply, key) => write(reply, cookieTable[key], '', GONE),
  };
}
