import { type ErrorName, errorRegistry } from './registry.ts';

/** The details of an error as plain data. The HTTP error handler and the command line turn them into text. */
export interface ErrorParameters {
  /** The underlying error. It is logged and never sent to a client. */
  cause?: unknown;
  /** The JSON name of the invalid input field. */
  field?: string;
  /** Which of several rules the input violates, as an identifier that programs can read. */
  reason?: string;
  /** The values that are allowed. */
  allowed?: readonly string[];
  /** The largest number or length that is allowed. */
  maximum?: number;
  /** The username that the error is about, as the client sent it. */
  username?: string;
  /** The key that identifies the profile that the error is about. */
  key?: string;
  /** The id of the token or session that the error is about. */
  id?: string | number;
  /** For 429 and 503: the seconds after which the client may try again. */
  retryAfterSeconds?: number;
  /** The id of the user whose sign-in was refused, for the audit log. Set only if the user exists. */
  userId?: number;
  /** For 429: how many requests are allowed per window. */
  limit?: number;
  /** For 401 and 403 answers to a bearer credential: the WWW-Authenticate challenge (RFC 6750 §3). */
  challenge?: string;
  /** The current record, if it changed after the client read it. */
  current?: object;
  /** The state of the requested object. It is sent as `status`. */
  state?: string;
  /** For 405: the methods that are allowed. */
  allow?: readonly string[];
  /** The link on the error page and its text, if the default link does not help. */
  goOn?: { path: string; words: 'signIn' | 'switchAccount' | 'continue' };
  /** The ways in which the user can confirm a change. */
  ways?: readonly string[];
  /** The identity provider that the error is about. */
  provider?: string;
  /** The id of the account at that provider. The operator needs it to link the account. */
  providerAccount?: string;
}

/** An error of a rule. Only the HTTP error handler and the command line turn it into text. */
export class AppError extends Error {
  readonly code: ErrorName;
  readonly parameters: ErrorParameters;

  constructor(code: ErrorName, parameters: ErrorParameters = {}) {
    super(errorRegistry[code].message, { cause: parameters.cause });
    this.code = code;
    this.name = 'AppError';
    this.parameters = parameters;
  }
}
