import { AppError } from '../errors/app-error.ts';
import { requireConfirmed } from '../factors/guards.ts';
import { actorOf } from '../http/actor.ts';
import { bearerOf } from '../http/bearer.ts';
import type { Guard } from '../http/guard.ts';
import { status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { getSession, requireSession, requireSuperadmin } from '../sessions/guards.ts';
import { createToken, lifeDaysOf } from './create-token.ts';
import { checkToken } from './find-token.ts';
import { revokeHeldToken, revokeOwnToken } from './revoke-token.ts';
import {
  type BearerQuestion,
  bearerQuestion,
  createdToken,
  type DoneReply,
  doneReply,
  idParams,
  type TokenQuestion,
  type TokenRequest,
  toCreated,
  tokenProof,
  tokenQuestion,
  tokenRequest,
  toProof,
} from './schemas.ts';
import { isToken } from './token.ts';

async function create(call: Call<TokenRequest>) {
  const session = await getSession(call);
  const made = await createToken({ ...call.services, actor: actorOf(call) }, session, call.body);
  return status(201, toCreated(made));
}

async function revoke(call: Call<unknown, unknown, { id: string }>): Promise<DoneReply> {
  const { userId } = await getSession(call);
  const by = { database: call.services.database, actor: actorOf(call) };
  await revokeOwnToken(by, Number(call.params.id), userId);
  return { success: true, message: 'The token has been revoked' };
}

/** Returns the text if it has the format of a token. Throws AppError TOKEN_FORMAT_INVALID otherwise. */
function requireToken({ settings }: Call['services'], text: string): string {
  if (isToken(text, settings.LEGACY_TOKEN_PREFIXES)) return text;
  throw new AppError('TOKEN_FORMAT_INVALID', { field: 'token' });
}

async function revokeHeld(call: Call<TokenQuestion>): Promise<DoneReply> {
  const token = requireToken(call.services, call.body.token);
  await revokeHeldToken({ database: call.services.database, actor: actorOf(call) }, token);
  return { success: true, message: 'The token is not valid any more' };
}

/** Returns the token to check: the one in the body, or else the bearer credential of the request. */
function askedToken({ body, request, services }: Call<BearerQuestion>): string {
  if (body.token !== undefined) return requireToken(services, body.token);
  const credential = bearerOf(request);
  if (credential === undefined) throw new AppError('MISSING_REQUIRED_FIELD', { field: 'token' });
  return requireToken(services, credential);
}

/** Requires, for a token of scope admin, a superadmin whose session was confirmed recently. Admits all other requests. */
const requireMayMake: Guard = {
  name: 'superadmin role and recent confirmation (only for scope admin)',
  errors: [...requireSuperadmin.errors, ...requireConfirmed.errors],
  check: async (call) => {
    const { body } = call;
    const isAdmin = typeof body === 'object' && body !== null && 'scope' in body && body.scope === 'admin';
    return isAdmin ? ((await requireSuperadmin.check(call)) ?? requireConfirmed.check(call)) : undefined;
  },
};

const tokenErrors = { token: { invalid: 'TOKEN_FORMAT_INVALID' } } as const;

export const apiTokenRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/api/token',
    operationId: 'createToken',
    summary: 'Create an API token of your own; the token is shown only in this reply',
    kind: 'json',
    access: [requireSession],
    guards: [requireMayMake],
    body: json(tokenRequest),
    fieldErrors: {
      name: { invalid: 'TOKEN_NAME_INVALID' },
      scope: { missing: 'TOKEN_SCOPE_INVALID', invalid: 'TOKEN_SCOPE_INVALID' },
      expiresDays: { missing: 'EXPIRES_DAYS_INVALID', invalid: 'EXPIRES_DAYS_INVALID' },
      allowed_apps: { missing: 'ALLOWED_APPS_INVALID', invalid: 'ALLOWED_APPS_INVALID' },
    },
    replies: { 201: createdToken },
    errors: ['TOKEN_APPS_NOT_ALLOWED', 'TOKEN_LIMIT_REACHED'],
    checkInput: ({ body }) => void lifeDaysOf(body),
    handle: create,
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/token/:id',
    operationId: 'revokeToken',
    summary: 'Revoke an API token of your own',
    kind: 'json',
    access: [requireSession],
    params: idParams,
    fieldErrors: { id: { invalid: 'ID_INVALID' } },
    replies: { 200: doneReply },
    errors: ['TOKEN_NOT_FOUND'],
    handle: revoke,
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tokens/verify',
    operationId: 'verifyToken',
    summary: 'Return whether an API token is valid, which user it belongs to and what it allows',
    kind: 'json',
    isVital: true,
    isCheck: true,
    body: json(bearerQuestion),
    fieldErrors: tokenErrors,
    replies: { 200: tokenProof },
    errors: ['MISSING_REQUIRED_FIELD'],
    handle: async (call) => toProof(await checkToken(call.services, askedToken(call))),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/tokens/revoke',
    operationId: 'revokeHeldToken',
    summary: 'Revoke the API token that the request contains',
    kind: 'json',
    limit: { name: 'token-revoke', error: 'TOO_MANY_REQUESTS' },
    body: json(tokenQuestion),
    fieldErrors: tokenErrors,
    replies: { 200: doneReply },
    handle: revokeHeld,
  }),
];
