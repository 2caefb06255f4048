import { AppError } from '../errors/app-error.ts';

const MAX_LENGTH = 255;
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a text can be the id of an account at a provider: 1 to 255 characters, none of them a control character. */
export const isAccountId = (text: string): boolean => text !== '' && text.length <= MAX_LENGTH && !UNFIT.test(text);

function refuse(why: string): never {
  throw new AppError('PROVIDER_ANSWER_INVALID', { cause: new Error(`the account id is ${why}`) });
}

/**
 * The id of an account, as a provider told it, in the one form in which links keep it.
 *
 * Gives   the exact text; a whole number in decimal digits, so that 42 and "42" are one account.
 * Throws  AppError PROVIDER_ANSWER_INVALID for anything else, and for numbers beyond 2^53: JSON has rounded them
 *         already, so that two accounts could share one.
 */
export function parseAccountId(value: unknown): string {
  if (typeof value === 'string') return isAccountId(value) ? value : refuse('empty, too long or not plain text');
  if (typeof value !== 'number') return refuse(value === undefined ? 'missing' : 'neither text nor number');
  return Number.isSafeInteger(value) && value >= 0 ? String(value) : refuse('no number that can be held exactly');
}
