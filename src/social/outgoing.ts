import { AppError } from '../errors/app-error.ts';

const TIME_LIMIT_MS = 5000;
const SIZE_LIMIT_BYTES = 256 * 1024;

type Init = Pick<RequestInit, 'method' | 'body' | 'headers'>;

/** The text of an answer, read no further than the limit. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let text = '';
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > SIZE_LIMIT_BYTES)
      throw new AppError('PROVIDER_ANSWER_INVALID', { cause: new Error('the answer is too large') });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function checkStatus({ status, url }: Response): void {
  const cause = new Error(`${new URL(url).host} answered ${status}`);
  if (status === 429 || status >= 500) throw new AppError('PROVIDER_UNREACHABLE', { cause });
  const isFine = status === 200 || status === 201 || status >= 400;
  if (!isFine) throw new AppError('PROVIDER_ANSWER_INVALID', { cause });
}

/**
 * Asks a provider: the only way in which this folder calls out.
 *
 * Needs   url: from the settings, or from the discovery document of a configured issuer.
 * Gives   the answer with its whole body read. Its status is below 500 and no redirect.
 * Throws  AppError PROVIDER_UNREACHABLE without an answer in 5 s, with TLS that cannot be verified, for 429 and 5xx;
 *         PROVIDER_ANSWER_INVALID for a redirect or more than 256 KiB.
 * Why     redirects are never followed, since a provider that was taken over could point them into our network.
 * Source  ASVS 5.0 15.3.2, 12.3.2; RFC 9700 §4.11
 */
export async function requestProvider(url: string | URL, init: Init = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set('accept', 'application/json');
  headers.set('user-agent', 'authsvc');
  try {
    const signal = AbortSignal.timeout(TIME_LIMIT_MS);
    const response = await fetch(url, { ...init, headers, redirect: 'manual', signal });
    const text = await readText(response);
    checkStatus(response);
    const type = response.headers.get('content-type');
    return new Response(text, { status: response.status, headers: type ? { 'content-type': type } : {} });
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('PROVIDER_UNREACHABLE', { cause: error });
  }
}

/** The JSON object of an answer. Throws AppError PROVIDER_ANSWER_INVALID for anything else. */
export async function readJsonObject(response: Response): Promise<Record<string, unknown>> {
  const value: unknown = await response.json().catch(() => undefined);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new AppError('PROVIDER_ANSWER_INVALID', {
    cause: new Error(`answered ${response.status} without a JSON object`),
  });
}
