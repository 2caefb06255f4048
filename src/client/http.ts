/** What a server answered: its status, and the fields of its JSON. */
export interface Answer {
  status: number;
  fields: Record<string, unknown>;
  /** Seconds that the server asks to wait. */
  waitSeconds: number | undefined;
}

/** Why nothing came of a request. */
export type Failure =
  /** The person said no. */
  | 'denied'
  /** Nobody decided in time. */
  | 'expired'
  /** No answer: no network, no such host, nothing listens there, or only a proxy before the server speaks. */
  | 'unreachable'
  /** The server refused; message and hint are its own. */
  | 'refused'
  /** The answer is not one of this service. */
  | 'unexpected';

/** A request that came to nothing. The message is a sentence for a person. */
export class ClientError extends Error {
  readonly reason: Failure;
  /** Name of the refusal at the server, such as PROFILE_UNKNOWN. */
  readonly code: string | undefined;
  /** What can be done about it. */
  readonly hint: string | undefined;

  constructor(
    reason: Failure,
    message: string,
    { code, hint, cause }: { code?: string; hint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = 'ClientError';
    this.reason = reason;
    this.code = code;
    this.hint = hint;
  }
}

const PATIENCE_MS = 15_000;
const MAX_CHARACTERS = 1024 * 1024;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The innermost reason, which names the trouble where the outer ones say "fetch failed". */
function rootOf(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root instanceof Error ? root.message || root.name : String(root);
}

/** Whether a later request may well be answered: the server, or a proxy before it, is not able to at this moment. */
export const isPassing = (status: number): boolean => status === 429 || status >= 500;

/** The body as text. Throws ClientError where it is longer than any answer of the service. */
async function readBody({ body }: Response, url: URL): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_CHARACTERS) throw new ClientError('unexpected', `${url.origin} answered without an end.`);
  }
  return text + decoder.decode();
}

async function readAnswer(response: Response, url: URL): Promise<Answer> {
  const text = await readBody(response, url);
  const wait = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  const answer = { status: response.status, waitSeconds: wait >= 0 ? wait : undefined };
  try {
    const fields: unknown = JSON.parse(text);
    if (isObject(fields)) return { ...answer, fields };
  } catch {
    // No JSON: told below.
  }
  const told = `${url.origin} answered ${response.status} with something that is no JSON.`;
  throw new ClientError(isPassing(response.status) ? 'unreachable' : 'unexpected', told);
}

/**
 * Makes the function by which a client asks its server.
 *
 * Gives   whatever the server answered as JSON, refusals too.
 * Throws  ClientError `unreachable` or `unexpected`; what `signal` was aborted with.
 * Why     redirects are not followed: a token must not go to another address than the one that was named.
 */
export function createAsk(server: string, fetchIt: typeof fetch) {
  return async (path: string, fields: Record<string, unknown>, signal?: AbortSignal): Promise<Answer> => {
    const url = new URL(path, server);
    const patience = AbortSignal.timeout(PATIENCE_MS);
    try {
      const response = await fetchIt(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify(fields),
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, patience]) : patience,
      });
      return await readAnswer(response, url);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ClientError) throw error;
      throw new ClientError('unreachable', `${url.origin} cannot be reached: ${rootOf(error)}.`, { cause: error });
    }
  };
}

/** Asks a server: path, fields of the JSON body, and a signal that ends the request. */
export type Ask = ReturnType<typeof createAsk>;

const textIn = (fields: Record<string, unknown>, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
};

/** The refusal that an answer stands for. */
export function refusalOf({ status, fields }: Answer): ClientError {
  const message = textIn(fields, 'message') ?? `The server answered ${status}.`;
  const [code, hint] = [textIn(fields, 'code'), textIn(fields, 'hint')];
  return new ClientError('refused', message, { ...(code ? { code } : {}), ...(hint ? { hint } : {}) });
}

/** Reads fields of an answer, each of the type it must have. Throws ClientError `unexpected`. */
export function readerOf(fields: Record<string, unknown>) {
  const missing = (name: string) => new ClientError('unexpected', `The server's answer lacks ${name}.`);
  return {
    text: (name: string): string => {
      const value = textIn(fields, name);
      if (value === undefined) throw missing(name);
      return value;
    },
    number: (name: string): number => {
      const value = fields[name];
      if (typeof value !== 'number') throw missing(name);
      return value;
    },
    list: (name: string): string[] => {
      const value = fields[name];
      if (!Array.isArray(value)) throw missing(name);
      return value.filter((item) => typeof item === 'string');
    },
    fields: (name: string): Record<string, unknown> => {
      const value = fields[name];
      if (!isObject(value)) throw missing(name);
      return value;
    },
    /** An instant, or undefined for null. */
    instant: (name: string): Date | undefined => {
      const value = textIn(fields, name);
      if (value !== undefined && Number.isNaN(Date.parse(value))) throw missing(name);
      return value === undefined ? undefined : new Date(value);
    },
  };
}
