import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import { connectionFault } from '../lib/connection-fault.ts';
import { fault, logText, quoted } from './fault.ts';

const TIME_LIMIT_MS = 5000;
const SIZE_LIMIT_BYTES = 256 * 1024;

type Init = Pick<RequestInit, 'method' | 'body' | 'headers'>;

/** A URL of a provider to which this service sends requests. */
export interface Endpoint {
  /** Comes from the settings, or from the discovery document of a configured issuer. */
  url: string | URL;
  /** What the URL is for, such as `token endpoint`. */
  name: string;
  /** The key of the setting that the URL comes from. */
  setting: string;
}

/** Formats a URL for the log, without its query. */
function shownAddress(url: string | URL): string {
  const { origin, pathname } = new URL(url);
  return logText(origin + pathname);
}

/** Describes an endpoint for the log. */
export const describeEndpoint = ({ url, name, setting }: Endpoint): string =>
  `the ${name} ${shownAddress(url)} (${setting})`;

/** Reads the body of a reply as text. Throws if it exceeds the limit. */
async function readText(response: Response, what: string): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > SIZE_LIMIT_BYTES) throw fault('PROVIDER_ANSWER_INVALID', `${what} answered more than 256 KiB`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The headers that the caller needs. All others are dropped. */
const KEPT_HEADERS = ['content-type', 'retry-after', 'x-ratelimit-remaining'];

/** The statuses that indicate a wrong URL. */
const NOT_THERE = [404, 405, 410];

function checkStatus({ status, headers }: Response, what: string): void {
  if (status === 429 || status >= 500) throw fault('PROVIDER_UNREACHABLE', `${what} answered ${status}`);
  if (NOT_THERE.includes(status)) throw fault('PROVIDER_MISCONFIGURED', `${what} is not there: it answered ${status}`);
  if (status >= 300 && status < 400) {
    const location = headers.get('location') ?? '';
    const target = URL.canParse(location) ? shownAddress(location) : logText(location);
    const words = `${what} answered ${status} and redirects to ${JSON.stringify(target)}; redirects are not followed`;
    throw fault('PROVIDER_MISCONFIGURED', words);
  }
  const isFine = status === 200 || status === 201 || status >= 400;
  if (!isFine) throw fault('PROVIDER_ANSWER_INVALID', `${what} answered ${status}`);
}

function innermostMessage(error: unknown): string {
  let at = error;
  while (at instanceof Error && at.cause instanceof Error) at = at.cause;
  return at instanceof Error ? at.message : String(at);
}

/** Returns the status with which a forward proxy refused to connect; undefined for any other error. */
const proxyStatus = (error: unknown): string | undefined =>
  /^Proxy response \((\d{3})\)/.exec(innermostMessage(error))?.[1];

/** Creates the error for a request without a reply, with a sentence for the log that says why. */
function unreachable(error: unknown, what: string): AppError {
  const status = proxyStatus(error);
  if (status !== undefined) {
    const name = status.startsWith('4') ? 'PROVIDER_MISCONFIGURED' : 'PROVIDER_UNREACHABLE';
    return fault(name, `${what} cannot be reached: the proxy (HTTPS_PROXY, HTTP_PROXY) answered ${status}`);
  }
  const known = connectionFault(error);
  const name: ErrorName = known?.isLasting ? 'PROVIDER_MISCONFIGURED' : 'PROVIDER_UNREACHABLE';
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const reason = isLate ? 'no answer came within 5 seconds' : (known?.reason ?? quoted(innermostMessage(error)));
  return fault(name, `${what} cannot be reached: ${reason}`);
}

async function send(endpoint: Endpoint, init: Init, read: (response: Response, what: string) => Promise<Response>) {
  const what = describeEndpoint(endpoint);
  const headers = new Headers(init.headers);
  headers.set('accept', 'application/json');
  headers.set('user-agent', 'authsvc');
  try {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS);
    return await read(await fetch(endpoint.url, { ...init, headers, redirect: 'manual', signal }), what);
  } catch (error) {
    throw error instanceof AppError ? error : unreachable(error, what);
  }
}

/**
 * Sends a request to a provider. All outgoing requests of this folder use this function or `requireEndpoint`.
 *
 * Redirects are never followed, because a compromised provider could redirect requests into our network.
 *
 * @returns the reply, whose body has been read completely. Its status is 200, 201, or a 4xx status that is not listed
 *   below
 * @throws AppError PROVIDER_UNREACHABLE if there is no reply within 5 s, and for 429 and 5xx; PROVIDER_MISCONFIGURED if
 *   the URL cannot be right: a redirect, 404, 405, 410, or a certificate that cannot be verified; PROVIDER_ANSWER_INVALID
 *   for more than 256 KiB or another status
 * @see ASVS 5.0 15.3.2, 12.3.2; RFC 9700 §4.11
 */
export function requestProvider(endpoint: Endpoint, init: Init = {}): Promise<Response> {
  return send(endpoint, init, async (response, what) => {
    const text = await readText(response, what);
    checkStatus(response, what);
    const kept = [...response.headers].filter(([name]) => KEPT_HEADERS.includes(name));
    return new Response(text, { status: response.status, headers: kept });
  });
}

/**
 * Checks that a server answers at a URL of a provider. An error reply below 500 counts as an answer.
 *
 * @throws AppError PROVIDER_… if there is no reply, and for 5xx
 */
export async function requireEndpoint(endpoint: Endpoint, init: Init = {}): Promise<void> {
  await send(endpoint, init, async (response, what) => {
    await response.body?.cancel();
    if (response.status >= 500) throw fault('PROVIDER_UNREACHABLE', `${what} answered ${response.status}`);
    return response;
  });
}

type Fields = Record<string, unknown>;

/**
 * Parses the JSON object in a reply. Removes fields that are null, because providers send null for missing values.
 *
 * @throws AppError with the code `otherwise` if the reply is not a JSON object
 */
export async function readJsonObject(
  response: Response,
  endpoint: Endpoint,
  otherwise: ErrorName = 'PROVIDER_ANSWER_INVALID',
): Promise<Fields> {
  const value: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return withoutNulls(value);
  const type = logText(response.headers.get('content-type') ?? 'no content type');
  throw fault(otherwise, `${describeEndpoint(endpoint)} answered ${response.status} without a JSON object (${type})`);
}

/** Returns the fields of an object whose value is not null. */
export const withoutNulls = (fields: object): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
