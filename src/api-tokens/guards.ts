import { AppError } from '../errors/app-error.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Guard } from '../http/guard.ts';
import type { Call } from '../http/route.ts';
import { currentSession, getSession, requireSession } from '../sessions/guards.ts';
import type { Caller } from './caller.ts';
import { type ActiveToken, checkToken, findToken } from './find-token.ts';
import { usualScope } from './token.ts';
import { opensApp } from './token-apps.ts';

const READING = ['GET', 'HEAD', 'OPTIONS'];

declare module 'fastify' {
  interface FastifyRequest {
    /** The API token that `requireCaller` accepted. */
    apiToken?: ActiveToken;
  }
}

const mayOnlyRead = ({ scope }: ActiveToken, { route, request }: Call): boolean =>
  usualScope(scope) === 'read-only' && !route.changesNothing && !READING.includes(request.method);

const findTokenOf = ({ route, services }: Call, credential: string): Promise<ActiveToken | undefined> =>
  route.isCheck ? checkToken(services, credential) : findToken(services, credential);

async function admitToken(call: Call, credential: string): Promise<undefined> {
  const token = await findTokenOf(call, credential);
  if (!token) throw new AppError('TOKEN_INVALID', { challenge: 'Bearer error="invalid_token"' });
  call.request.knownCaller = token;
  if (!opensApp(token, call.services.settings.APP_NAME)) throw new AppError('APP_NOT_ALLOWED');
  if (mayOnlyRead(token, call)) {
    throw new AppError('TOKEN_READ_ONLY', { challenge: 'Bearer error="insufficient_scope", scope="write"' });
  }
  call.request.apiToken = token;
  return undefined;
}

/**
 * Admits signed-in callers: browsers by their session, programs by an API token as `Authorization: Bearer`. If the request
 * has a bearer credential, the session does not count. Throws APP_NOT_ALLOWED if the token is not valid for this
 * application.
 *
 * Tokens are also accepted by routes that call `findCaller` and by the routes of the console API. Routes that are only for
 * sessions use `requireSession`, which ignores tokens.
 *
 * @see RFC 6750 §3.1
 */
export const requireCaller: Guard = {
  name: 'session or API token',
  errors: [...requireSession.errors, 'TOKEN_INVALID', 'APP_NOT_ALLOWED', 'TOKEN_READ_ONLY'],
  securitySchemes: ['session', 'apiToken'],
  sendsTo: 'the login page',
  check: (call) => {
    const credential = bearerOf(call.request);
    return credential === undefined ? requireSession.check(call) : admitToken(call, credential);
  },
};

/** Returns the caller of a call that has passed `requireCaller`. */
export async function getCaller(call: Call): Promise<Caller> {
  const token = call.request.apiToken;
  return token ? { via: 'token', ...token } : { via: 'session', ...(await getSession(call)) };
}

/**
 * Finds the caller by the browser's session or by an API token, which may be for any application. If the request has a
 * bearer credential, the session does not count.
 *
 * @throws AppError TOKEN_INVALID if the credential is no active token
 */
export async function findCaller(call: Call): Promise<Caller | undefined> {
  const credential = bearerOf(call.request);
  if (credential === undefined) {
    const session = await currentSession(call);
    return session && { via: 'session', ...session };
  }
  const token = await findTokenOf(call, credential);
  if (!token) throw new AppError('TOKEN_INVALID', { challenge: 'Bearer error="invalid_token"' });
  call.request.knownCaller = token;
  return { via: 'token', ...token };
}
