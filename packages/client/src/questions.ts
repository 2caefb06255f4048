import { AuthRefused, AuthUnavailable } from './auth-errors.ts';
import type { Credentials } from './credentials.ts';
import { parseObject } from './json-object.ts';
import type { readOptions } from './options.ts';
import { type Found, readAnswer } from './visitor.ts';

type Options = ReturnType<typeof readOptions>;

const REFUSALS = ['APP_CREDENTIALS_INVALID', 'APP_THIRD_PARTY', 'APP_UNKNOWN'];
/** Limit for the body of a reply. Replies of authsvc are shorter, so a longer one comes from another server. */
const MAX_BYTES = 256 * 1024;

async function readFields(response: Response): Promise<Record<string, unknown>> {
  const text = Number(response.headers.get('content-length') ?? 0) > MAX_BYTES ? '' : await response.text();
  return parseObject(text) ?? {};
}

/**
 * Reads the reply of authsvc about a visitor.
 *
 * @returns undefined if no one is signed in
 * @throws AuthRefused if authsvc refuses the application; AuthUnavailable for any other error
 */
async function readReply(response: Response): Promise<Found | undefined> {
  const { status, headers } = response;
  const fields = await readFields(response);
  if (status === 200) return readAnswer(fields);
  const { code, message } = fields;
  if ((status === 401 || status === 403) && typeof code === 'string') {
    if (code === 'TOKEN_INVALID') return undefined;
    if (REFUSALS.includes(code)) throw new AuthRefused(code, String(message));
  }
  const seconds = Number.parseInt(headers.get('retry-after') ?? '', 10);
  const details = seconds >= 0 ? { retryAfterSeconds: seconds } : {};
  throw new AuthUnavailable(`The service replied with status ${status}.`, details);
}

const basic = ({ app, secret }: Options): Record<string, string> => ({
  authorization: `Basic ${btoa(`${app}:${secret}`)}`,
});

/** Sends the request for the stream of changes. */
export const openStream = (options: Options, signal: AbortSignal): Promise<Response> =>
  options.fetch(`${options.server}/authsvc/api/apps/changes`, {
    headers: { accept: 'text/event-stream', ...basic(options) },
    redirect: 'manual',
    signal,
  });

/** Sends a request about a visitor and reads the reply. A network fault or timeout becomes AuthUnavailable. */
async function send({ fetch, timeoutMs }: Options, address: string, init: RequestInit): Promise<Found | undefined> {
  try {
    return await readReply(
      await fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) }),
    );
  } catch (error) {
    if (error instanceof AuthUnavailable || error instanceof AuthRefused) throw error;
    throw new AuthUnavailable('The service cannot be reached.', { cause: error });
  }
}

const accept = { accept: 'application/json' };
const me = ({ server, app }: Options): string => `${server}/authsvc/api/me?app=${app}`;

/**
 * Sends the visitor's credentials to authsvc, which returns the visitor.
 *
 * @param credentials the visitor's `Cookie` or `Authorization` header
 * @returns undefined if no one is signed in
 * @throws AuthUnavailable, AuthRefused
 */
export function askVisitor(options: Options, credentials: Credentials['headers']): Promise<Found | undefined> {
  if (options.secret === undefined) return send(options, me(options), { headers: { ...accept, ...credentials } });
  const headers = { ...accept, 'content-type': 'application/json', ...basic(options) };
  const body = JSON.stringify(credentials);
  return send(options, `${options.server}/authsvc/api/apps/visitor`, { method: 'POST', headers, body });
}

/** Finds the visitor from a script in a page: the browser itself sends the session cookie to authsvc. */
export const askBrowser = (options: Options): Promise<Found | undefined> =>
  send(options, me(options), { headers: accept, credentials: 'include' });
