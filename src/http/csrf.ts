import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../lib/digest.ts';
import { randomText } from '../lib/random.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { Cookies } from './cookies.ts';
import type { ReplyView } from './reply.ts';

const SECRET_SHAPE = /^[\w-]{43}$/;
const TOKEN_SHAPE = /^([\w-]{16})\.([\w-]{43})$/;

export interface Csrf {
  /** Returns a token for this browser. Sets a secret in the browser if it has none. */
  tokenFor(request: FastifyRequest, reply: ReplyView): string;
  isValid(request: FastifyRequest, token: unknown): boolean;
  /**
   * Returns an identifier of this browser that does not reveal its secret. Sets a secret in the browser if it has
   * none.
   */
  browserFor(request: FastifyRequest, reply: ReplyView): string;
  /**
   * Returns the identifiers of this browser. There may be two, because a browser may hold two cookies with the same
   * name (RFC 6265 §5.4).
   */
  browsersOf(request: FastifyRequest): string[];
}

const nameOfBrowser = (secret: string): string => sha256(`browser ${secret}`);

function mac(key: Buffer, secret: string, salt: string): string {
  return createHmac('sha256', key).update(`${secret}.${salt}`).digest('base64url');
}

/**
 * Creates the functions that issue and check CSRF tokens. A token is a salted HMAC of a random secret, which the
 * browser keeps in a host-only cookie.
 *
 * A token stays valid when the user signs in in another tab, but it is not valid in another browser. The salt makes
 * the token different on each page, so that compression does not reveal it (BREACH).
 *
 * @see OWASP CSRF Prevention, signed double submit; ASVS 5.0 3.5.1
 */
export function createCsrf(sealer: Sealer, cookies: Cookies): Csrf {
  const keys = sealer.keys('csrf token');
  const [newest] = keys;
  if (!newest) throw new Error('no key for CSRF tokens');
  const secretsOf = (request: FastifyRequest) =>
    cookies.read(request, 'csrf').filter((secret) => SECRET_SHAPE.test(secret));
  const secretFor = (request: FastifyRequest, reply: ReplyView) => {
    const [known] = secretsOf(request);
    const secret = known ?? randomText(32);
    if (!known) cookies.apply({ request, reply }, [{ cookie: 'csrf', value: secret }]);
    return secret;
  };
  return {
    browserFor: (request, reply) => nameOfBrowser(secretFor(request, reply)),
    browsersOf: (request) => secretsOf(request).map(nameOfBrowser),
    tokenFor: (request, reply) => {
      const secret = secretFor(request, reply);
      const salt = randomText(12);
      return `${salt}.${mac(newest, secret, salt)}`;
    },
    isValid: (request, token) => {
      const [, salt, signature] = (typeof token === 'string' && TOKEN_SHAPE.exec(token)) || [];
      if (!salt || !signature) return false;
      // Compares the base64url texts, not the decoded bytes, because a decoder ignores two bits of the last
      // character.
      const given = Buffer.from(signature);
      const isOf = (key: Buffer, secret: string) => timingSafeEqual(Buffer.from(mac(key, secret, salt)), given);
      return secretsOf(request).some((secret) => keys.some((key) => isOf(key, secret)));
    },
  };
}
