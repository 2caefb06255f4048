import { type ErrorName, errorRegistry } from './registry.ts';

/** What a refusal is about: plain data, which HTTP and the command line each turn into words of their own. */
export interface ErrorParameters {
  /** What really happened, for the log only. */
  cause?: unknown;
  /** The input that is wrong, by its name in JSON. */
  field?: string;
  /** Which of several rules was broken, as a word for programs. */
  reason?: string;
  /** The values that are allowed. */
  allowed?: readonly string[];
  /** The largest number or length that is allowed. */
  maximum?: number;
  /** The name of the user that the refusal is about, as it was given. */
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
  /** The state that the requested thing is in: sent as `status`. */
  state?: string;
  /** For 405: the methods that are allowed. */
  allow?: readonly string[];
  /** Where a page leads from here, and which words say so, when the usual way leads nowhere. */
  goOn?: { path: string; words: 'signIn' | 'switchAccount' | 'continue' };
  /** The provider that the refusal is about. */
  provider?: string;
  /** The account at that provider: an administrator needs its id to link it. */
  providerAccount?: string;
}

/** A refusal. Rules throw it; the error handler of HTTP and the command line are the only ones that put it into words. */
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
