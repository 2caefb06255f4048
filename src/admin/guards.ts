import { findToken } from '../api-tokens/find-token.ts';
import { AppError } from '../errors/app-error.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Guard } from '../http/guard.ts';
import type { Call } from '../http/route.ts';
import { requireSession, requireSuperadmin } from '../sessions/guards.ts';

async function refuseToken(call: Call, credential: string): Promise<never> {
  const token = await findToken(call.services, credential);
  if (!token) throw new AppError('TOKEN_INVALID', { challenge: 'Bearer error="invalid_token"' });
  call.request.knownCaller = token;
  throw new AppError('TOKEN_SCOPE_REQUIRED', { challenge: 'Bearer error="insufficient_scope", scope="admin"' });
}

/**
 * Lets the browser session of a superadmin pass. If a bearer credential is sent, only that counts, and no scope of a
 * token allows this.
 */
export const requireConsole: Guard = {
  name: 'superadmin session',
  errors: [...requireSession.errors, ...requireSuperadmin.errors, 'TOKEN_INVALID', 'TOKEN_SCOPE_REQUIRED'],
  securitySchemes: ['session'],
  check: async (call) => {
    const credential = bearerOf(call.request);
    if (credential !== undefined) return refuseToken(call, credential);
    return (await requireSession.check(call)) ?? requireSuperadmin.check(call);
  },
};
