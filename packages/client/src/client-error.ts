/** Why a request failed. */
export type Failure =
  /** The person denied the request. */
  | 'denied'
  /** The person did not decide in time. */
  | 'expired'
  /** No answer from the server: the network, the name or the port does not work, or a proxy answers in its place. */
  | 'unreachable'
  /** The server refused the request; `message`, `hint`, `code` and `status` are its own. */
  | 'refused'
  /** The answer does not come from authsvc. */
  | 'unexpected';

interface Details {
  status?: number | undefined;
  code?: string | undefined;
  hint?: string | undefined;
  cause?: unknown;
}

/** A request that failed. The message is a sentence for people. */
export class ClientError extends Error {
  readonly reason: Failure;
  /** HTTP status of the answer; undefined if there was none. */
  readonly status: number | undefined;
  /** Name of the refusal at the server, such as PROFILE_UNKNOWN. */
  readonly code: string | undefined;
  /** What a person can do about it. */
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
