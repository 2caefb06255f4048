import { timingSafeEqual } from 'node:crypto';
import { toListed } from '../api-tokens/listed-token.ts';
import { listTokens } from '../api-tokens/queries.ts';
import { revokeAnyToken } from '../api-tokens/revoke-token.ts';
import { idParams } from '../api-tokens/schemas.ts';
import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import type { Guard } from '../http/guard.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { endAllSessions } from '../sessions/end-sessions.ts';
import { getSession, requireSession, requireSuperadmin } from '../sessions/guards.ts';
import { clearedSignIn } from '../signin/guards.ts';
import { findUser } from '../users/find-user.ts';
import { countTokens } from './count-tokens.ts';
import {
  type DoneReply,
  doneReply,
  type SuperadminSummary,
  superadminSummary,
  type TokenListReply,
  tokenListReply,
  tokenStatsReply,
  toStats,
  usernameParams,
} from './schemas.ts';

/** Compares two secrets in constant time. The duration reveals only the length of the secret. */
function isSecret(given: string | undefined, secret: string | undefined): boolean {
  const [left, right] = [Buffer.from(given ?? ''), Buffer.from(secret ?? '')];
  return right.length > 0 && left.length === right.length && timingSafeEqual(left, right);
}

const requireMainSecret: Guard = {
  name: 'main secret token',
  errors: ['MAIN_SECRET_REQUIRED'],
  securitySchemes: ['mainSecret'],
  check: ({ request, services }) => {
    if (!isSecret(request.headers.authorization, services.settings.MAIN_SECRET_TOKEN))
      throw new AppError('MAIN_SECRET_REQUIRED');
    request.knownCaller = 'main_secret';
    return undefined;
  },
};

async function terminate(call: Call): Promise<DoneReply> {
  const { database, cookies } = call.services;
  await endAllSessions({ database, actor: actorOf(call) });
  cookies.apply(call, [{ clear: 'accounts' }, ...clearedSignIn(call)]);
  return { success: true, message: 'All sessions have been terminated' };
}

async function validateSuperadmin(call: Call): Promise<SuperadminSummary> {
  const { userId, username, role } = await getSession(call);
  return { success: true, message: 'The session belongs to a superadmin', user: { user_id: userId, username, role } };
}

type UserCall = Call<unknown, unknown, { username: string }>;

async function listTokensOfUser({ services, params }: UserCall): Promise<TokenListReply> {
  const user = await findUser(services.database, params.username);
  if (!user) throw new AppError('USER_NOT_FOUND');
  const tokens = await listTokens.all(services.database, { userId: user.id });
  return { success: true, username: user.username, tokens: tokens.map(toListed) };
}

async function revokeToken(call: Call<unknown, unknown, { id: string }>): Promise<DoneReply> {
  const change = { database: call.services.database, actor: actorOf(call) };
  await revokeAnyToken(change, Number(call.params.id), 'admin');
  return { success: true, message: 'The token has been revoked' };
}

const superadminOnly = [requireSession, requireSuperadmin];

export const adminRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/terminateAllSessions',
    operationId: 'terminateAllSessions',
    summary: 'End all sessions of all users; needs the main secret token',
    kind: 'json',
    access: [requireMainSecret],
    limit: { name: 'terminate-all', error: 'TOO_MANY_REQUESTS' },
    replies: { 200: doneReply },
    failure: 'TERMINATE_FAILED',
    handle: terminate,
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/validate-superadmin',
    operationId: 'validateSuperadmin',
    summary: 'Return 200 if the session belongs to a superadmin',
    kind: 'json',
    isCheck: true,
    access: superadminOnly,
    replies: { 200: superadminSummary },
    handle: validateSuperadmin,
  }),
  defineRoute({
    method: 'GET',
    path: '/api/admin/api-tokens/stats',
    operationId: 'getTokenStats',
    summary: 'Return how many API tokens there are, by state and scope; superadmins only',
    kind: 'json',
    access: superadminOnly,
    replies: { 200: tokenStatsReply },
    handle: async ({ services }) => toStats(await countTokens(services)),
  }),
  defineRoute({
    method: 'GET',
    path: '/api/admin/api-tokens/:username',
    operationId: 'listTokensOfUser',
    summary: 'List all API tokens of a user; superadmins only',
    kind: 'json',
    access: superadminOnly,
    params: usernameParams,
    replies: { 200: tokenListReply },
    errors: ['USER_NOT_FOUND'],
    handle: listTokensOfUser,
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/admin/api-tokens/:id',
    operationId: 'revokeAnyToken',
    summary: 'Revoke any API token; superadmins only',
    kind: 'json',
    access: superadminOnly,
    params: idParams,
    fieldErrors: { id: { invalid: 'ID_INVALID' } },
    replies: { 200: doneReply },
    errors: ['TOKEN_NOT_FOUND'],
    handle: revokeToken,
  }),
];
