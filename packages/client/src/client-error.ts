/** Why a request failed. */
export type Failure =
  /** The person denied the login. */
  | 'denied'
  /** The person did not decide before the login expired. */
  | 'expired'
  /** The server did not reply: a wrong address, a network fault, or an error page of a proxy. */
  | 'unreachable'
  /** The server replied with an error. */
  | 'refused'
  /** The reply does not come from authsvc. */
  | 'unexpected';

interface Details {
  status?: number | undefined;
  code?: string | undefined;
  hint?: string | undefined;
  cause?: unknown;
}

/** A failed request. `message` is a sentence to show to the user. */
export class ClientError extends Error {
  /** Keeps the name of the class in the bundle, for logs and stack traces. @internal */
  static override readonly name: string = 'ClientError';
  readonly reason: Failure;
  /** HTTP status of the reply. */
  readonly status: number | undefined;
  /** Error code of authsvc, such as PROFILE_UNKNOWN. */
  readonly code: string | undefined;
  /** What the user can do to fix the problem. */
  readonly hint: string | undefined;

  constructor(reason: Failure, message: string, { status, code, hint, cause }: Details = {}) {
    super(message, { cause });
    this.name = 'ClientError';
    this.reason = reason;
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}
