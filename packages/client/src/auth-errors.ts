/** The service cannot be asked at this moment. This never means that the visitor is signed out. */
export class AuthUnavailable extends Error {
  /** When to try again, if the service says so. */
  readonly retryAfterSeconds?: number;

  constructor(message: string, { cause, retryAfterSeconds }: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AuthUnavailable';
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The service refuses this application: its key or secret is wrong, or the application is disabled. */
export class AuthRefused extends Error {
  /** Name of the refusal, such as APP_CREDENTIALS_INVALID. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'AuthRefused';
    this.code = code;
  }
}
