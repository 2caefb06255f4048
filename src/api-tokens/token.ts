import { sha256 } from '../lib/digest.ts';
import { randomHex } from '../lib/random.ts';

/** What tokens of device logins can allow. The first one is the default. */
export const profileScopes = ['read-only', 'write'] as const;
export type ProfileScope = (typeof profileScopes)[number];
/** What a token allows. `admin` is for the JSON of the console; elsewhere such a token counts as read-only. */
export const tokenScopes = [...profileScopes, 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const DEFAULT_LIFE_DAYS = 90;
export const MAX_LIFE_DAYS = 3650;
/** A token of scope admin lives no longer, which it does unless another life is asked for. */
export const MAX_ADMIN_LIFE_DAYS = 30;

/** The shape of every token, also of a former service; `isToken` knows which prefixes count. */
export const TOKEN_PATTERN = '^[a-z0-9_]{1,15}_[0-9a-f]{64}$';
const SHAPE = /^(.+_)[0-9a-f]{64}$/;
const PREFIX = 'tok_';
const PREFIX_LENGTH = 12;

/** A scope that this program does not know allows the least. */
export const parseScope = (text: string): TokenScope => tokenScopes.find((scope) => scope === text) ?? 'read-only';

/** The same for what a profile gives. */
export const parseProfileScope = (text: string): ProfileScope =>
  profileScopes.find((scope) => scope === text) ?? 'read-only';

/** What a token allows outside the console. */
export const usualScope = (scope: TokenScope): ProfileScope => (scope === 'admin' ? 'read-only' : scope);

/**
 * Whether a text has the form of a token.
 *
 * @param formerPrefixes the setting LEGACY_TOKEN_PREFIXES
 */
export function isToken(text: string, formerPrefixes: readonly string[]): boolean {
  const prefix = SHAPE.exec(text)?.[1];
  return prefix === PREFIX || (prefix !== undefined && formerPrefixes.includes(prefix));
}

/** A token of 256 random bits (ASVS 5.0 11.5.1). */
export const newToken = (): string => PREFIX + randomHex(32);

/** What may be shown of a token, to tell it from others. */
export const prefixOf = (token: string): string => token.slice(0, PREFIX_LENGTH);

/** The form in which a token is kept. */
export const hashToken = sha256;
