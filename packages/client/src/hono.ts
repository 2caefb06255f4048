// For Hono: `import { protect } from 'authsvc-client/hono'`.
import type { Context } from 'hono';
import type { Auth, Visitor } from './auth.ts';
import { decide, type ProtectOptions, toResponse } from './protect.ts';

export type { ProtectOptions } from './protect.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** Undefined only with the option `optional`, if no one is signed in. */
    visitor: Visitor | undefined;
  }
}

/** Returns the middleware. It sets `c.var.visitor`, or responds with an error or redirect. */
export function protect(auth: Auth, options: ProtectOptions = {}) {
  return async (context: Pick<Context, 'req' | 'set'>, next: () => Promise<void>): Promise<Response | undefined> => {
    const { method, headers, url } = context.req.raw;
    const decision = await decide(auth, { method, headers, url }, options);
    if (decision.refusal) return toResponse(decision.refusal);
    context.set('visitor', decision.visitor);
    await next();
    return undefined;
  };
}
