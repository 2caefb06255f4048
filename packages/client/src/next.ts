// For Next.js: `import { protect, visitor } from 'authsvc-client/next'`.
import type { Auth, Visitor } from './auth.ts';
import { decide, type ProtectOptions, toResponse } from './protect.ts';

export type { ProtectOptions } from './protect.ts';

/** Makes the middleware that lets requests pass. It returns the answer to send instead; undefined: the request passes. */
export function protect(auth: Auth, options: ProtectOptions = {}) {
  return async ({ method, headers, url }: Request): Promise<Response | undefined> => {
    const { refusal } = await decide(auth, { method, headers, url }, options);
    return refusal && toResponse(refusal);
  };
}

/**
 * Finds who sent the request that a server component, a server action or a route handler answers.
 *
 * @returns undefined: no one is signed in
 * @throws AuthUnavailable, which never means "signed out"; AuthRefused
 */
export async function visitor(auth: Auth, options: Pick<ProtectOptions, 'tokens'> = {}): Promise<Visitor | undefined> {
  const { headers } = await import('next/headers.js');
  return auth.visitor(await headers(), options);
}
