/** authsvc did not reply, or replied with a temporary error. It is unknown whether the visitor is signed in. */
export class AuthUnavailable extends Error {
  /** Keeps the name of the class in the bundle, for logs and stack traces. @internal */
  static override readonly name = 'AuthUnavailable';
  /** Seconds to wait before a retry, from the `Retry-After` header. */
  readonly retryAfterSeconds?: number;

  constructor(message: string, { cause, retryAfterSeconds }: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AuthUnavailable';
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** authsvc refuses this application, because its key or secret is wrong or because it is disabled. */
export class AuthRefused extends Error {
  /** @internal */
  static override readonly name = 'AuthRefused';
  /** Error code of authsvc, such as APP_CREDENTIALS_INVALID. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'AuthRefused';
    this.code = code;
  }
}
