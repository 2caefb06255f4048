import { type ErrorName, errorRegistry } from './registry.ts';

export interface AppErrorDetails {
  /** What really happened, for the log only. */
  cause?: unknown;
  /** For 429 and 503: when to come back. */
  retryAfterSeconds?: number;
  /** Whose request was refused, for the audit trail. */
  userId?: number;
  /** For 429: how many requests the window allows. */
  limit?: number;
  /** For 401 and 403 of a bearer credential: the challenge (RFC 6750 §3). */
  challenge?: string;
  /** Where the thing stands that was asked for: told as `status`. */
  state?: string;
  /** For 405: the methods that are allowed. */
  allow?: readonly string[];
  /** Where a page leads on from here, and which words say so, when the usual way would lead nowhere. */
  goOn?: { path: string; words: 'signIn' | 'switchAccount' | 'continue' };
  /** The provider that the refusal is about. */
  provider?: 'codehost' | 'websso';
  /** The account at a provider that is not linked: an administrator needs it to link it. */
  providerAccount?: string;
}

/** A refusal of the registry. Rules throw it; the error handler is the only one that answers it. */
export class AppError extends Error {
  readonly code: ErrorName;
  readonly details: AppErrorDetails;

  constructor(code: ErrorName, details: AppErrorDetails = {}) {
    super(errorRegistry[code].message, { cause: details.cause });
    this.code = code;
    this.name = 'AppError';
    this.details = details;
  }
}
