import { texts, textsOfError } from './texts.ts';

/** The outcome of a request to the service. */
export type Outcome = { kind: 'done'; body: Record<string, unknown> } | Refusal;

/** Why a request had no effect. */
export type Refusal =
  | {
      kind: 'refused';
      status: number;
      code: string;
      message: string;
      hint: string;
      waitSeconds: number | undefined;
      /** The whole reply, because some errors have additional fields. */
      body: Record<string, unknown>;
    }
  | { kind: 'unreachable' };

/** The HTTP method of a change. */
export type Method = 'POST' | 'PATCH' | 'DELETE';

/** Returns whether the service refused because the session has ended. */
export function isSignedOut(refusal: Refusal): boolean {
  return refusal.kind === 'refused' && (refusal.code === 'NOT_LOGGED_IN' || refusal.code === 'NOT_SIGNED_IN');
}

const patienceMs = 30_000;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

async function readBody(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}

function readWait(response: Response): number | undefined {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  return seconds > 0 ? seconds : undefined;
}

async function send(method: Method, path: string, fields: Record<string, unknown>): Promise<Outcome> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        // Routes that read no body take the CSRF token from this header.
        'x-csrf-token': tokenField(document)?.value ?? '',
      },
      body: JSON.stringify(fields),
      signal: AbortSignal.timeout(patienceMs),
    });
  } catch {
    return { kind: 'unreachable' };
  }
  const body = await readBody(response);
  if (response.ok && body.success === true) return { kind: 'done', body };
  const code = textOf(body.code);
  const words = textsOfError(code) ?? { message: textOf(body.message) || texts.unexpected, hint: textOf(body.hint) };
  return { kind: 'refused', status: response.status, code, ...words, waitSeconds: readWait(response), body };
}

function tokenField(page: Document): HTMLInputElement | undefined {
  const field = page.querySelector('input[name="_csrf"]');
  return field instanceof HTMLInputElement ? field : undefined;
}

async function renewToken(): Promise<boolean> {
  const here = tokenField(document);
  try {
    const response = await fetch(location.href, { credentials: 'same-origin', headers: { accept: 'text/html' } });
    const fresh = tokenField(new DOMParser().parseFromString(await response.text(), 'text/html'));
    if (!response.ok || response.redirected || !here || !fresh) return false;
    here.value = fresh.value;
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends JSON to the service with the page's CSRF token.
 *
 * The token of a page that has been open for long may have expired. In that case this function fetches a new token and
 * sends the request once more. If the service refuses the new token too, the browser does not store the cookie of the
 * token.
 */
export async function sendJson(method: Method, path: string, fields: Record<string, unknown>): Promise<Outcome> {
  const attempt = () => send(method, path, { ...fields, _csrf: tokenField(document)?.value });
  const first = await attempt();
  if (first.kind !== 'refused' || first.code !== 'CSRF_INVALID') return first;
  if (!(await renewToken())) return first;
  const second = await attempt();
  const hasNoCookie = second.kind === 'refused' && second.code === 'CSRF_INVALID';
  return hasNoCookie ? { ...second, message: texts.noCookies, hint: '' } : second;
}

/** Sends JSON with the method POST. */
export const postJson = (path: string, fields: Record<string, unknown>): Promise<Outcome> =>
  sendJson('POST', path, fields);
