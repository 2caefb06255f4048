import { withoutSpaces } from '../factors/code.ts';
import { confirmEnrolment, startEnrolment } from '../factors/enrol-totp.ts';
import { requireConfirmed } from '../factors/guards.ts';
import { endOwnTrusts, listOwnTrusts } from '../factors/list-trusts.ts';
import { toTotpDraft } from '../factors/schemas.ts';
import { replaceRecoveryCodes, turnOffSecondFactor } from '../factors/second-factor.ts';
import { openTrustTokens } from '../factors/trusted-browser.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { changeOf, changing, reading, requireTwoFactor } from './guards.ts';
import {
  doneReply,
  endedReply,
  plainRequest,
  recoveryCodesReply,
  refParams,
  type TotpRequest,
  toTrustsReply,
  totpReply,
  totpRequest,
  trustsReply,
} from './schemas.ts';

const success = { success: true } as const;

/** Returns what a change of second factors needs: the result of `changeOf`, and the data sealer. */
export const factorChange = (call: Call) => ({ ...changeOf(call), dataSealer: call.services.dataSealer });

async function draftTotp(call: Call) {
  const { id: sessionId, userId, username } = await getSession(call);
  const draft = await startEnrolment(factorChange(call), { user: { id: userId, username }, sessionId });
  return { ...success, ...toTotpDraft(draft, { application: call.services.settings, username }) };
}

async function verifyTotp(call: Call<TotpRequest>) {
  const { id: sessionId, userId, username } = await getSession(call);
  const code = withoutSpaces(call.body.token);
  const codes = await confirmEnrolment(factorChange(call), { user: { id: userId, username }, sessionId, code });
  return { ...success, recovery_codes: codes };
}

const trustTokens = ({ request, services }: Call) =>
  openTrustTokens(services, services.cookies.read(request, 'trustedDevice'));

export async function listTrusts(call: Call) {
  const { database, clock, browserNames } = call.services;
  const { userId } = await getSession(call);
  return toTrustsReply(await listOwnTrusts(database, { userId, now: clock.now() }, trustTokens(call)), browserNames);
}

async function endTrusts(call: Call, ref: string | undefined) {
  return { ...success, ended: await endOwnTrusts(changeOf(call), await getSession(call), ref) };
}

const confirmed = [requireCsrf, requireConfirmed, requireTwoFactor];

/** The JSON routes for the user's second factors and recovery codes. */
export const myFactorRoutes: AnyRoute[] = [
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/totp',
    operationId: 'draftTotp',
    summary: 'Create the secret for an authenticator app; it has no effect until a code from the app is verified',
    guards: confirmed,
    body: json(plainRequest),
    replies: { 200: totpReply },
    handle: draftTotp,
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/totp/verify',
    operationId: 'verifyTotp',
    summary: 'Verify a code from the new authenticator app, which then replaces the former one',
    guards: [requireCsrf, requireTwoFactor],
    body: json(totpRequest),
    replies: { 200: recoveryCodesReply },
    errors: ['TOTP_NOT_STARTED', 'TOTP_CODE_INCORRECT'],
    handle: verifyTotp,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/account/totp',
    operationId: 'turnOffTotp',
    summary: 'Remove the authenticator app, its recovery codes and the trusted browsers',
    guards: confirmed,
    body: json(plainRequest),
    replies: { 200: doneReply },
    errors: ['TWO_FACTOR_NOT_ON', 'SECOND_FACTOR_REQUIRED'],
    handle: async (call) => {
      const { settings } = call.services;
      await turnOffSecondFactor({ ...changeOf(call), settings }, await getSession(call));
      return success;
    },
  }),
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/recovery-codes',
    operationId: 'replaceRecoveryCodes',
    summary: 'Create ten new recovery codes, which replace the former ones',
    guards: confirmed,
    body: json(plainRequest),
    replies: { 200: recoveryCodesReply },
    errors: ['TWO_FACTOR_NOT_ON'],
    handle: async (call) => ({
      ...success,
      recovery_codes: await replaceRecoveryCodes(factorChange(call), await getSession(call)),
    }),
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/api/account/trusted-devices',
    operationId: 'listTrustedDevices',
    summary: 'List the browsers that skip the second step, newest first',
    replies: { 200: trustsReply },
    handle: listTrusts,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/account/trusted-devices',
    operationId: 'endTrustedDevices',
    summary: 'Stop trusting all browsers, so that each one asks for a code at the next sign-in',
    guards: [requireCsrf],
    body: json(plainRequest),
    replies: { 200: endedReply },
    handle: (call) => endTrusts(call, undefined),
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/account/trusted-devices/:ref',
    operationId: 'endTrustedDevice',
    summary: 'Stop trusting one browser, so that it asks for a code at the next sign-in',
    guards: [requireCsrf],
    params: refParams,
    body: json(plainRequest),
    replies: { 200: endedReply },
    errors: ['REF_UNKNOWN'],
    handle: (call) => endTrusts(call, call.params.ref),
  }),
];
