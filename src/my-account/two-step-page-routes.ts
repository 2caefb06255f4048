import { AppError } from '../errors/app-error.ts';
import { withoutSpaces } from '../factors/code.ts';
import { isSecondFactorOn, isSecondFactorRequired } from '../factors/confirmation.ts';
import { confirmEnrolment, startEnrolment } from '../factors/enrol-totp.ts';
import { endOwnTrusts } from '../factors/list-trusts.ts';
import { toTotpDraft } from '../factors/schemas.ts';
import { replaceRecoveryCodes, turnOffSecondFactor } from '../factors/second-factor.ts';
import { findDraft } from '../factors/totp-draft.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { describeAccount } from './describe-account.ts';
import { factorChange, listTrusts } from './factor-routes.ts';
import {
  accountForm,
  confirmByForm,
  confirmErrors,
  page,
  requireProofInput,
  sending,
  showAccountPage,
  takeShownOnce,
  textOf,
} from './form-guards.ts';
import { plainForm, type RefForm, refForm, type TotpForm, totpForm } from './form-schemas.ts';
import { changeOf, requireTwoFactor } from './guards.ts';
import type { AccountView } from './page/account/page.ts';
import type { ShownOnce } from './shown-once.ts';

const VIEW = 'two-step';
const path = '/authsvc/account/two-step';
/** The errors of `confirmHere`. */
const ofConfirmation = [...confirmErrors, ...requireTwoFactor.errors];

/** Returns the authenticator app that is being set up in this session. */
async function draftOf(call: Call) {
  const { database, dataSealer, clock, settings } = call.services;
  const { id: sessionId, username } = await getSession(call);
  const draft = await findDraft(database, dataSealer, { holder: { sessionId }, now: clock.now() });
  return draft && toTotpDraft(draft, { application: settings, username });
}

async function twoStepOf(call: Call, recoveryCodes?: string[]): Promise<AccountView> {
  const { user, recoveryCodesLeft } = await describeAccount(call.services, await getSession(call));
  const { trusted_devices: trusts } = await listTrusts(call);
  const draft = recoveryCodes === undefined ? await draftOf(call) : undefined;
  const { settings } = call.services;
  const isOn = isSecondFactorOn(settings, user);
  const mayTurnOff = !isSecondFactorRequired(settings, user);
  return { view: VIEW, isOn, codesLeft: recoveryCodesLeft, mayTurnOff, draft, recoveryCodes, trusts };
}

async function showTwoStep(call: Call) {
  const kept = await takeShownOnce(call, 'recovery-codes');
  return showAccountPage(call, await twoStepOf(call, kept?.kind === 'recovery-codes' ? kept.codes : undefined));
}

/**
 * Requires a confirmed session, and then that second factors are turned on. The JSON routes check both in the same
 * order.
 */
async function confirmHere(call: Call): Promise<void> {
  await confirmByForm(call);
  await requireTwoFactor.check(call);
}

async function startHere(call: Call): Promise<void> {
  await confirmHere(call);
  const { id: sessionId, userId, username } = await getSession(call);
  await startEnrolment(factorChange(call), { user: { id: userId, username }, sessionId });
}

async function verify(call: Call<TotpForm>): Promise<ShownOnce> {
  const { id: sessionId, userId, username } = await getSession(call);
  const code = withoutSpaces(textOf(call.body.token));
  const codes = await confirmEnrolment(factorChange(call), { user: { id: userId, username }, sessionId, code });
  return { kind: 'recovery-codes', codes };
}

async function replaceCodes(call: Call): Promise<ShownOnce> {
  await confirmHere(call);
  const codes = await replaceRecoveryCodes(factorChange(call), await getSession(call));
  return { kind: 'recovery-codes', codes };
}

async function turnOff(call: Call): Promise<void> {
  await confirmHere(call);
  const { settings } = call.services;
  await turnOffSecondFactor({ ...changeOf(call), settings }, await getSession(call));
}

async function endTrusts(call: Call<RefForm>): Promise<void> {
  const { ref } = call.body;
  await endOwnTrusts(changeOf(call), await getSession(call), ref === undefined ? undefined : textOf(ref));
}

/** Refuses a form without a code, before the CSRF token is checked. */
function requireCode({ body }: Call<TotpForm>): void {
  if (textOf(body.token) === '') throw new AppError('MISSING_REQUIRED_FIELD', { field: 'token' });
}

const again = (call: Call) => twoStepOf(call);

/** The page of the user's authenticator app, recovery codes and trusted browsers, and its forms. */
export const myTwoStepPageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    path,
    operationId: 'showTwoStepPage',
    summary: 'Show the page of your authenticator app, recovery codes and trusted browsers',
    handle: showTwoStep,
  }),
  defineRoute({
    ...sending,
    path,
    operationId: 'sendTotpForm',
    summary: 'Submit the form that starts to set up an authenticator app',
    body: form(plainForm),
    errors: ofConfirmation,
    checkInput: requireProofInput,
    ...accountForm({ view: VIEW, work: startHere, again }),
  }),
  defineRoute({
    ...sending,
    path: `${path}/verify`,
    operationId: 'sendTotpCodeForm',
    summary: 'Submit the form with a code from the new authenticator app',
    guards: [requireCsrf, requireTwoFactor],
    body: form(totpForm),
    errors: ['TOTP_NOT_STARTED', 'TOTP_CODE_INCORRECT'],
    checkInput: requireCode,
    ...accountForm({ view: VIEW, done: 'factorOn', make: verify, again }),
  }),
  defineRoute({
    ...sending,
    path: `${path}/recovery-codes`,
    operationId: 'sendRecoveryCodesForm',
    summary: 'Submit the form that replaces the recovery codes',
    body: form(plainForm),
    errors: [...ofConfirmation, 'TWO_FACTOR_NOT_ON'],
    checkInput: requireProofInput,
    ...accountForm({ view: VIEW, done: 'codesReplaced', make: replaceCodes, again }),
  }),
  defineRoute({
    ...sending,
    path: `${path}/off`,
    operationId: 'sendTotpRemovalForm',
    summary: 'Submit the form that turns off the second step',
    body: form(plainForm),
    errors: [...ofConfirmation, 'TWO_FACTOR_NOT_ON', 'SECOND_FACTOR_REQUIRED'],
    checkInput: requireProofInput,
    ...accountForm({ view: VIEW, done: 'factorOff', work: turnOff, again }),
  }),
  defineRoute({
    ...sending,
    path: `${path}/trusted-devices`,
    operationId: 'sendTrustForm',
    summary: 'Submit the form that stops trusting one browser or all browsers, so that they ask for a code again',
    body: form(refForm),
    errors: ['REF_UNKNOWN'],
    ...accountForm({
      view: VIEW,
      done: ({ body }: Call<RefForm>) => (body.ref === undefined ? 'trustsEnded' : 'trustEnded'),
      work: endTrusts,
      again,
    }),
  }),
];
