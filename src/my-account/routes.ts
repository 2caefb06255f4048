import { answeringBrowser } from '../factors/guards.ts';
import { askerOf } from '../http/asker.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { knownBrowserOf } from '../signin/guards.ts';
import { endCurrent } from '../signin/log-out-guards.ts';
import { changeProfile } from './change-profile.ts';
import { type ConfirmationAttempt, confirm } from './confirm.ts';
import { describeAccount, listOwnSessions } from './describe-account.ts';
import { endOtherSessions, endOwnSession } from './end-own-sessions.ts';
import { changeOf, changing, reading, requireOneProof, requireProfile } from './guards.ts';
import {
  accountReply,
  type ConfirmRequest,
  confirmReply,
  confirmRequest,
  endedReply,
  type ProfileRequest,
  plainRequest,
  profileRequest,
  type RefParams,
  refParams,
  sessionsReply,
  toAccountReply,
  toConfirmReply,
  toSessionsReply,
} from './schemas.ts';

async function showAccount(call: Call) {
  const { services } = call;
  return toAccountReply(await describeAccount(services, await getSession(call)), services.browserNames);
}

async function editProfile(call: Call<ProfileRequest>) {
  const { full_name: fullName, image } = call.body;
  const { settings } = call.services;
  await changeProfile({ ...changeOf(call), settings }, await getSession(call), { fullName, image });
  return showAccount(call);
}

async function readProof(call: Call<ConfirmRequest>): Promise<ConfirmationAttempt['proof']> {
  const { password, token = '', response } = call.body;
  if (response !== undefined) return { way: 'passkey', response, from: await answeringBrowser(call) };
  return password === undefined ? { way: 'totp', text: token } : { way: 'password', text: password };
}

async function confirmHere(call: Call<ConfirmRequest>) {
  const { services, request } = call;
  const session = await getSession(call);
  const proof = await readProof(call);
  request.confirmationMethod = proof.way;
  const client = { asker: askerOf(call), browser: knownBrowserOf(call) };
  return toConfirmReply(await confirm(services, { session, proof, client }));
}

async function endOne(call: Call<unknown, unknown, RefParams>) {
  const session = await getSession(call);
  const { ref } = call.params;
  if (ref === session.ref) return { success: true as const, ended: await endCurrent(call) };
  await endOwnSession(changeOf(call), session, ref);
  return { success: true as const, ended: 1 };
}

/** The JSON routes with which users read and change their own account. */
export const myAccountRoutes: AnyRoute[] = [
  defineRoute({
    ...reading,
    path: '/authsvc/api/account',
    operationId: 'getAccount',
    summary: 'Return the account of the signed-in user, and the current session',
    replies: { 200: accountReply },
    handle: showAccount,
  }),
  defineRoute({
    ...changing,
    method: 'PATCH',
    path: '/authsvc/api/account',
    operationId: 'changeAccount',
    summary: 'Change your own full name or picture',
    guards: [requireProfile, requireCsrf],
    body: json(profileRequest),
    replies: { 200: accountReply },
    errors: ['PROFILE_LOCKED'],
    handle: editProfile,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/confirm',
    operationId: 'confirm',
    summary: 'Confirm your identity again; the confirmation is valid for ten minutes in this session',
    guards: [requireOneProof, requireCsrf],
    limit: { name: 'account-secret', error: 'TOO_MANY_REQUESTS' },
    body: json(confirmRequest),
    replies: { 200: confirmReply },
    errors: ['CONFIRMATION_FAILED', 'TOO_MANY_LOGINS', 'TOO_MANY_CODES', 'SECOND_STEP_MISCONFIGURED'],
    handle: confirmHere,
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/account/sessions',
    operationId: 'listOwnSessions',
    summary: 'List your own sessions, newest first',
    replies: { 200: sessionsReply },
    handle: async (call) =>
      toSessionsReply(await listOwnSessions(call.services, await getSession(call)), call.services.browserNames),
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/account/sessions/:ref',
    operationId: 'endOwnSession',
    summary: 'End one of your own sessions; ending this one signs you out',
    guards: [requireCsrf],
    params: refParams,
    body: json(plainRequest),
    replies: { 200: endedReply },
    errors: ['REF_UNKNOWN'],
    handle: endOne,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/sessions/end-others',
    operationId: 'endOtherSessions',
    summary: 'End all your own sessions except this one',
    guards: [requireCsrf],
    body: json(plainRequest),
    replies: { 200: endedReply },
    handle: async (call) => ({
      success: true,
      ended: await endOtherSessions(changeOf(call), await getSession(call)),
    }),
  }),
];
