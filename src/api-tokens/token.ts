import { sha256 } from '../lib/digest.ts';
import { randomHex } from '../lib/random.ts';

/** The scopes of tokens that device logins create. The first one is the default. */
export const profileScopes = ['read-only', 'write'] as const;
export type ProfileScope = (typeof profileScopes)[number];
/** The scopes of tokens. `admin` gives access to the console's JSON routes; on other routes it counts as read-only. */
export const tokenScopes = [...profileScopes, 'admin'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const DEFAULT_LIFE_DAYS = 90;
export const MAX_LIFE_DAYS = 3650;
/** Longest and default validity of a token of scope admin. */
export const MAX_ADMIN_LIFE_DAYS = 30;

/** Format of every token, including tokens of a former service. `isToken` decides which prefixes are valid. */
export const TOKEN_PATTERN = '^[a-z0-9_]{1,15}_[0-9a-f]{64}$';
const SHAPE = /^(.+_)[0-9a-f]{64}$/;
const PREFIX = 'tok_';
const PREFIX_LENGTH = 12;

/** Reads a stored scope. An unknown scope counts as read-only, which allows the least. */
export const parseScope = (text: string): TokenScope => tokenScopes.find((scope) => scope === text) ?? 'read-only';

/** Reads the stored scope of a profile. An unknown scope counts as read-only, which allows the least. */
export const parseProfileScope = (text: string): ProfileScope =>
  profileScopes.find((scope) => scope === text) ?? 'read-only';

/** Returns the scope that counts outside the console. */
export const usualScope = (scope: TokenScope): ProfileScope => (scope === 'admin' ? 'read-only' : scope);

/**
 * Returns whether a text has the format of a token.
 *
 * @param formerPrefixes the setting LEGACY_TOKEN_PREFIXES
 */
export function isToken(text: string, formerPrefixes: readonly string[]): boolean {
  const prefix = SHAPE.exec(text)?.[1];
  return prefix === PREFIX || (prefix !== undefined && formerPrefixes.includes(prefix));
}

/** Returns a new token with 256 random bits (ASVS 5.0 11.5.1). */
export const newToken = (): string => PREFIX + randomHex(32);

/** Returns the beginning of a token. Lists show it so that people can distinguish tokens. */
export const prefixOf = (token: string): string => token.slice(0, PREFIX_LENGTH);

/** The form in which the database stores a token. */
export const hashToken = sha256;
