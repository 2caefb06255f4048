import { refusalWords } from '../command/refusal-words.ts';
import { AppError } from '../errors/app-error.ts';
import { ForeignHashError, type ForeignHashFault } from '../lib/foreign-hash.ts';

/** The reason why a record is not imported. */
export type RefusalCode =
  | ForeignHashFault
  | 'NOT_UTF8'
  | 'NOT_JSON'
  | 'NOT_OBJECT'
  | 'LINE_TOO_LONG'
  | 'TYPE_UNKNOWN'
  | 'FIELD_INVALID'
  | 'PASSWORD_IN_CLEAR'
  | 'DUPLICATE_IN_FILE'
  | 'LINK_TAKEN'
  | 'LINK_DIFFERS'
  | 'TOKEN_TAKEN'
  | 'PASSKEY_TAKEN'
  | 'LAST_SUPERADMIN';

/**
 * Thrown when one record is refused. The other records are still imported. The message consists of whole sentences and
 * contains no secret.
 */
export class LineRefusal extends Error {
  readonly code: RefusalCode;
  readonly field: string | null;

  constructor(code: RefusalCode, field: string | null, message: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

/** The form of a hash of a token or secret, for `RecordReader.refusal`. */
export const SHA256_FORM = 'must be a SHA-256 hash in hexadecimal';

export const invalid = (field: string, message: string): LineRefusal =>
  new LineRefusal('FIELD_INVALID', field, message);

/** Converts an error of a rule or of a hash into a refusal of the record. Throws any other error again. */
export function toLineRefusal(error: unknown, field: string): LineRefusal {
  if (error instanceof LineRefusal) return error;
  if (error instanceof ForeignHashError) return new LineRefusal(error.code, field, error.message);
  if (error instanceof AppError) return invalid(error.parameters.field ?? field, refusalWords(error, 'record'));
  throw error;
}
