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
    /** The API token that `requireConsole` accepted. */
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
 * Admits superadmins: browsers by their session, programs by an API token of scope admin. If the request has a bearer
 * credential, the session does not count. Throws APP_NOT_ALLOWED if the token is not valid for this application.
 */
const requireConsole: Guard = {
  name: 'superadmin session or API token with scope admin',
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

/**
 * Returns a guard that checks sessions and skips API tokens. It protects against forged requests and unattended
 * browsers, which use a session and never a token.
 */
const forSessions = (guard: Guard): Guard => ({
  ...guard,
  name: `${guard.name} (only for a session)`,
  check: (call) => (call.request.consoleToken ? undefined : guard.check(call)),
});

/** The guards of routes that change something. They run after `requireConsole`. */
const changeGuards: readonly Guard[] = [forSessions(requireCsrf), forSessions(requireConfirmed)];

/** The errors that every list can return. */
export const listErrors = ['FIELD_INVALID', 'CURSOR_INVALID'] as const;

const readLimit = { name: 'admin-read', error: 'TOO_MANY_REQUESTS' } as const;

/** The properties that all reading routes share. Browsers and programs can use these routes. */
export const reading = { method: 'GET', access: [requireConsole], limit: readLimit } as const;

/** The properties that all changing routes share. */
export const changing = {
  kind: 'json',
  access: [requireConsole],
  guards: changeGuards,
  limit: { name: 'admin-change', error: 'TOO_MANY_REQUESTS' },
} as const;

/** The properties that all pages share. */
export const page = {
  method: 'GET',
  kind: 'page',
  access: [requireSession, requireSuperadmin],
  limit: readLimit,
  replies: { 200: htmlReply },
} as const;

/** The properties of a page with a list. Status 400 is a page too: it shows which filter has an invalid value. */
export const listPage = { ...page, replies: { 200: htmlReply, 400: htmlReply }, errors: listErrors } as const;
