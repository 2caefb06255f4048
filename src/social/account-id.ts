const MAX_LENGTH = 255;
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Returns whether a text can be the id of an account at a provider: 1 to 255 characters without control characters. */
export const isAccountId = (text: string): boolean => text !== '' && text.length <= MAX_LENGTH && !UNFIT.test(text);

/** The id of an account, or the reason why a value cannot be one. */
export type ParsedAccountId = { isUsable: true; text: string } | { isUsable: false; problem: string };

const problem = (words: string): ParsedAccountId => ({ isUsable: false, problem: words });

/**
 * Parses the id of an account in a provider's reply, and returns it in the form in which it is stored with a link.
 *
 * A number of 2^53 or more is refused, because JSON.parse has rounded it: 2^53 + 1 becomes 2^53. So two accounts could
 * get the same id.
 *
 * @returns a text unchanged, or a whole number as decimal digits, so that 42 and "42" mean the same account
 */
export function parseAccountId(value: unknown): ParsedAccountId {
  if (value === undefined) return problem('missing or null');
  if (typeof value === 'string')
    return isAccountId(value)
      ? { isUsable: true, text: value }
      : problem('empty, longer than 255 characters, or not plain text');
  if (typeof value !== 'number') return problem('neither text nor a number');
  return Number.isSafeInteger(value) && value >= 0
    ? { isUsable: true, text: String(value) }
    : problem('not a whole number below 2^53; a larger id must be text, because programs round larger numbers');
}
