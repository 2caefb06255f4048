import { texts, textsOfError } from './texts.ts';

/** The outcome of a request: the service did it, refused it, or was not reached. */
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
      /** The whole reply: some refusals say more. */
      body: Record<string, unknown>;
    }
  | { kind: 'unreachable' };

/** How a change is sent. */
export type Method = 'POST' | 'PATCH' | 'DELETE';

/** Whether the service refused because no one is signed in any more. */
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
        // For routes that read no body.
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
 * A page that was open for too long has an old token. Then this fetches a new one and sends the request once more. If
 * the service refuses the new token too, the browser did not store its cookie.
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

/** Sends JSON by POST. */
export const postJson = (path: string, fields: Record<string, unknown>): Promise<Outcome> =>
  sendJson('POST', path, fields);
