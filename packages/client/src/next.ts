// For Next.js: `import { protect, visitor } from 'authsvc-client/next'`.
import type { Auth, Visitor } from './auth.ts';
import { decide, type ProtectOptions, toResponse } from './protect.ts';

export type { ProtectOptions } from './protect.ts';

/** Returns the URL of a request with the host of its `Host` header. Next.js puts its own address into `url`. */
function visitedUrl({ headers, url }: Request): string {
  const host = headers.get('host');
  return host === null ? url : url.replace(/^(https?:\/\/)[^/?#]*/i, (_origin, scheme) => scheme + host);
}

/** Returns the middleware. It returns an error or redirect, or undefined if the request may continue. */
export function protect(auth: Auth, options: ProtectOptions = {}) {
  return async (request: Request): Promise<Response | undefined> => {
    const { method, headers } = request;
    const { refusal } = await decide(auth, { method, headers, url: visitedUrl(request) }, options);
    return refusal && toResponse(refusal);
  };
}

/**
 * Finds the user who sent the current request, for server components, server actions and route handlers.
 *
 * @returns undefined if no one is signed in
 * @throws AuthUnavailable, AuthRefused
 */
export async function visitor(auth: Auth, options: Pick<ProtectOptions, 'tokens'> = {}): Promise<Visitor | undefined> {
  const { headers } = await import('next/headers.js');
  return auth.visitor(await headers(), options);
}
