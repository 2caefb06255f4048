import { type ErrorName, errorRegistry } from './registry.ts';

/** The details of a refusal as plain data. HTTP and the command line each turn them into text. */
export interface ErrorParameters {
  /** The actual cause, only for the log. */
  cause?: unknown;
  /** The name of the wrong input in JSON. */
  field?: string;
  /** Which of several rules was violated, as a word for programs. */
  reason?: string;
  /** The allowed values. */
  allowed?: readonly string[];
  /** The largest allowed number or length. */
  maximum?: number;
  /** The name of the user that the refusal is about, as given. */
  username?: string;
  /** The public key of the profile that the refusal is about. */
  key?: string;
  /** The id of the token or session that the refusal is about. */
  id?: string | number;
  /** For 429 and 503: when to try again. */
  retryAfterSeconds?: number;
  /** The known user whose sign-in was refused, for the audit log. */
  userId?: number;
  /** For 429: how many requests the window allows. */
  limit?: number;
  /** For 401 and 403 of a bearer credential: the challenge (RFC 6750 §3). */
  challenge?: string;
  /** The record as it is now, where it has changed meanwhile. */
  current?: object;
  /** The state of the requested object, sent as `status`. */
  state?: string;
  /** For 405: the allowed methods. */
  allow?: readonly string[];
  /** The link of the error page and its text, if the usual link does not help. */
  goOn?: { path: string; words: 'signIn' | 'switchAccount' | 'continue' };
  /** The ways to confirm a change. */
  ways?: readonly string[];
  /** The provider that the refusal is about. */
  provider?: string;
  /** The account at that provider. The operator needs its id to link it. */
  providerAccount?: string;
}

/** A refusal. Rules throw it; only the error handler of HTTP and the command line turn it into text. */
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
