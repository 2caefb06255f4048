import { confirmEnrolment, startEnrolment } from '../factors/enrol-totp.ts';
import { requireConfirmed } from '../factors/guards.ts';
import { toTotpDraft } from '../factors/schemas.ts';
import { replaceRecoveryCodes, turnOffSecondFactor } from '../factors/second-factor.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { changeOf, changing, requireTwoFactor } from './guards.ts';
import { doneReply, plainRequest, recoveryCodesReply, type TotpRequest, totpReply, totpRequest } from './schemas.ts';

const success = { success: true } as const;

/** A change of second factors, with the data sealer. */
const factorChange = (call: Call) => ({ ...changeOf(call), dataSealer: call.services.dataSealer });

async function draftTotp(call: Call) {
  const { id: sessionId, userId, username } = await getSession(call);
  const draft = await startEnrolment(factorChange(call), { user: { id: userId, username }, sessionId });
  return { ...success, ...toTotpDraft(draft, { application: call.services.settings, username }) };
}

async function verifyTotp(call: Call<TotpRequest>) {
  const { id: sessionId, userId, username } = await getSession(call);
  const code = call.body.token.replace(/\s/g, '');
  const codes = await confirmEnrolment(factorChange(call), { user: { id: userId, username }, sessionId, code });
  return { ...success, recovery_codes: codes };
}

const confirmed = [requireCsrf, requireConfirmed, requireTwoFactor];

/** Second factors and recovery codes of the own account. */
export const myFactorRoutes: AnyRoute[] = [
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/totp',
    operationId: 'draftTotp',
    summary: 'Draft an authenticator app, which has no effect until one of its codes is verified',
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
    summary: 'Replace the former authenticator app with the drafted one',
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
    errors: ['TWO_FACTOR_NOT_ON'],
    handle: async (call) => {
      await turnOffSecondFactor(changeOf(call), await getSession(call));
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
];
