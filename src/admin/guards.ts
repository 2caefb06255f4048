import { type ActiveToken, findToken } from '../api-tokens/find-token.ts';
import { opensApp } from '../api-tokens/token-apps.ts';
import { AppError } from '../errors/app-error.ts';
import { requireConfirmed } from '../factors/guards.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Guard } from '../http/guard.ts';
import { htmlReply } from '../http/reply.ts';
import type { Call } from '../http/route.ts';
import { requireCsrf, requireSession, requireSuperadmin } from '../sessions/guards.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API token that `requireConsole` has let pass. */
    consoleToken?: ActiveToken;
  }
}

async function admitToken({ request, services }: Call, credential: string): Promise<undefined> {
  const token = await findToken(services, credential);
  if (!token) throw new AppError('TOKEN_INVALID', { challenge: 'Bearer error="invalid_token"' });
  request.knownCaller = token;
  if (token.scope !== 'admin')
    throw new AppError('TOKEN_SCOPE_REQUIRED', { challenge: 'Bearer error="insufficient_scope", scope="admin"' });
  if (token.role !== 'superadmin') throw new AppError('SUPERADMIN_REQUIRED');
  if (!opensApp(token, services.settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED');
  request.consoleToken = token;
  return undefined;
}

/**
 * Lets superadmins pass: browsers by their session, programs by an API token of scope admin. If a bearer credential is sent,
 * only that counts. APP_NOT_ALLOWED: the token is not for this application.
 */
const requireConsole: Guard = {
  name: 'superadmin session or API token of scope admin',
  errors: [
    ...requireSession.errors,
    ...requireSuperadmin.errors,
    'TOKEN_INVALID',
    'TOKEN_SCOPE_REQUIRED',
    'APP_NOT_ALLOWED',
  ],
  securitySchemes: ['session', 'apiToken'],
  check: async (call) => {
    const credential = bearerOf(call.request);
    if (credential !== undefined) return admitToken(call, credential);
    return (await requireSession.check(call)) ?? requireSuperadmin.check(call);
  },
};

/** A guard that API tokens pass: what a page of another site can send, and an open browser, holds no token. */
const forSessions = (guard: Guard): Guard => ({
  ...guard,
  name: `${guard.name} of a session`,
  check: (call) => (call.request.consoleToken ? undefined : guard.check(call)),
});

/** What a change in the console needs; comes after `requireConsole`. */
const changeGuards: readonly Guard[] = [forSessions(requireCsrf), forSessions(requireConfirmed)];

/** The errors of each list. */
export const listErrors = ['FIELD_INVALID', 'CURSOR_INVALID'] as const;

const readLimit = { name: 'admin-read', error: 'TOO_MANY_REQUESTS' } as const;

/** The common properties of the routes that read, for browsers and programs. */
export const reading = { method: 'GET', access: [requireConsole], limit: readLimit } as const;

/** The common properties of the routes that change something. */
export const changing = {
  kind: 'json',
  access: [requireConsole],
  guards: changeGuards,
  limit: { name: 'admin-change', error: 'TOO_MANY_REQUESTS' },
} as const;

/** The common properties of the pages. */
export const page = {
  method: 'GET',
  kind: 'page',
  access: [requireSession, requireSuperadmin],
  limit: readLimit,
  replies: { 200: htmlReply },
} as const;

/** The same of a list. A filter that was refused is shown on its page. */
export const listPage = { ...page, replies: { 200: htmlReply, 400: htmlReply }, errors: listErrors } as const;
