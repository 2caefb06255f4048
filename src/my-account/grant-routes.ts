import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { listGrants, toListedGrant } from '../oidc/list-grants.ts';
import { withdrawGrant } from '../oidc/withdraw-grant.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { changeOf, changing, reading } from './guards.ts';
import { endedReply, grantsReply, plainRequest, type RefParams, refParams } from './schemas.ts';

async function showGrants(call: Call) {
  const { database, clock } = call.services;
  const { userId } = await getSession(call);
  const grants = await listGrants(database, { userId }, clock.now());
  return { success: true as const, grants: grants.map(toListedGrant) };
}

async function withdraw(call: Call<unknown, unknown, RefParams>) {
  const { userId } = await getSession(call);
  await withdrawGrant({ ...call.services, ...changeOf(call) }, call.params.ref, userId);
  return { success: true as const, ended: 1 };
}

/** The JSON routes for the applications that have access to the user's account. */
export const myGrantRoutes: AnyRoute[] = [
  defineRoute({
    ...reading,
    path: '/authsvc/api/account/grants',
    operationId: 'listOwnGrants',
    summary: 'List the applications that you signed in to with OpenID Connect, newest first',
    replies: { 200: grantsReply },
    handle: showGrants,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/account/grants/:ref',
    operationId: 'withdrawOwnGrant',
    summary: 'End a listed access of an application to your account, and delete your consent',
    guards: [requireCsrf],
    params: refParams,
    body: json(plainRequest),
    replies: { 200: endedReply },
    errors: ['REF_UNKNOWN'],
    handle: withdraw,
  }),
];
