import { sha256 } from '../lib/digest.ts';
import { randomHex } from '../lib/random.ts';

/** What a token allows; the first is the one that is given when nobody asks for another. */
export const tokenScopes = ['read-only', 'write'] as const;
export type TokenScope = (typeof tokenScopes)[number];

export const DEFAULT_LIFE_DAYS = 90;
export const MAX_LIFE_DAYS = 3650;

/** The shape of every token, as a regular expression. */
export const TOKEN_PATTERN = '^tok_[0-9a-f]{64}$';
const SHAPE = new RegExp(TOKEN_PATTERN);
const PREFIX_LENGTH = 12;

/** A scope that this program does not know allows the least. */
export const parseScope = (text: string): TokenScope => tokenScopes.find((scope) => scope === text) ?? 'read-only';

export const isToken = (text: string): boolean => SHAPE.test(text);

/** A token of 256 random bits (ASVS 5.0 11.5.1). */
export const newToken = (): string => `tok_${randomHex(32)}`;

/** What may be shown of a token, to tell it from others. */
export const prefixOf = (token: string): string => token.slice(0, PREFIX_LENGTH);

/** The form in which a token is kept. */
export const hashToken = sha256;
