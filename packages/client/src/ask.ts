import { ClientError } from './client-error.ts';
import { parseObject } from './json-object.ts';
import { describeFault } from './network-fault.ts';

/** The reply of a server: HTTP status and JSON fields. */
export interface Answer {
  status: number;
  fields: Record<string, unknown>;
  /** Seconds of the `Retry-After` header; undefined if there is none. */
  waitSeconds: number | undefined;
}

/** Sends the fields to a path of the server as JSON (POST). The signal cancels the request. */
export type Ask = (path: string, fields: Record<string, unknown>, signal?: AbortSignal) => Promise<Answer>;

const TIMEOUT_MS = 15_000;
/** Limit for the body of a reply. Replies of authsvc are shorter, so a longer one comes from another server. */
const MAX_BYTES = 1024 * 1024;

/** Returns whether a status means that the server, or a proxy in front of it, is busy or down, so that a retry may succeed. */
export const isTemporary = (status: number): boolean => status === 429 || status >= 500;

async function readBody({ body, status }: Response, origin: string, maxBytes: number): Promise<string> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      void reader.cancel().catch(() => undefined);
      throw new ClientError('unexpected', `${origin} sent a reply that is too long to come from authsvc.`, {
        status,
      });
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns an error message that names the origin of a redirect, because the user probably has to configure that address. */
function describeRedirect({ headers }: Response, url: URL): string {
  const location = headers.get('location') ?? '';
  const target = URL.canParse(location, url.href) ? new URL(location, url).origin : 'null';
  const isElsewhere = target !== 'null' && target !== url.origin;
  return isElsewhere
    ? `${url.origin} redirects to ${target}. If that is the address of authsvc, use it instead.`
    : `${url.origin} redirects instead of answering. Check that it is the address of authsvc.`;
}

/**
 * Reads the JSON of a reply, including that of an error reply.
 *
 * @throws ClientError `unreachable` or `unexpected`, or the reason of an aborted signal
 */
export async function readAnswer(
  response: Response,
  url: URL,
  signal?: AbortSignal,
  maxBytes = MAX_BYTES,
): Promise<Answer> {
  const { status, headers, type } = response;
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    void response.body?.cancel().catch(() => undefined);
    throw new ClientError('unexpected', describeRedirect(response, url), { status });
  }
  const text = await readBody(response, url.origin, maxBytes).catch((error: unknown) => {
    throw unreachable(url, error, signal);
  });
  const fields = parseObject(text);
  if (!fields) {
    const message = `${url.origin} answered ${status} without JSON. Check that it is the address of authsvc.`;
    throw new ClientError(isTemporary(status) ? 'unreachable' : 'unexpected', message, { status });
  }
  const wait = Number.parseInt(headers.get('retry-after') ?? '', 10);
  return { status, fields, waitSeconds: wait >= 0 ? wait : undefined };
}

/**
 * Sends a request. Does not follow redirects, so that a token is sent to no address except `url`.
 *
 * @param isFile whether the body may take longer than the time limit, which then ends with the headers
 * @throws ClientError `unreachable`, or the reason of an aborted signal
 */
export async function fetchFrom(
  fetchIt: typeof fetch,
  url: URL,
  init: RequestInit,
  signal?: AbortSignal,
  isFile = false,
): Promise<Response> {
  const slow = new AbortController();
  const timer = isFile ? setTimeout(() => slow.abort(new DOMException('', 'TimeoutError')), TIMEOUT_MS) : undefined;
  const timeout = isFile ? slow.signal : AbortSignal.timeout(TIMEOUT_MS);
  try {
    return await fetchIt(url, {
      ...init,
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (error) {
    throw unreachable(url, error, signal);
  } finally {
    clearTimeout(timer);
  }
}

function unreachable(url: URL, error: unknown, signal: AbortSignal | undefined): ClientError {
  signal?.throwIfAborted();
  if (error instanceof ClientError) return error;
  return new ClientError('unreachable', `${url.origin} cannot be reached: ${describeFault(error)}.`, { cause: error });
}

/**
 * Creates the function that sends a client's requests to its server.
 *
 * @param server base URL of the service
 * @returns a function that resolves to the reply, even if the reply is an error. It throws ClientError `unreachable` or
 *   `unexpected`, or the reason of an aborted signal
 */
export function createAsk(server: string, fetchIt: typeof fetch): Ask {
  return async (path, fields, signal) => {
    const url = new URL(path, server);
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await fetchFrom(fetchIt, url, { method: 'POST', headers, body: JSON.stringify(fields) }, signal);
    return readAnswer(response, url, signal);
  };
}
