import { returnAddress } from '../applications/return-address.ts';
import { AppError } from '../errors/app-error.ts';
import { parseCode, withoutSpaces } from '../factors/code.ts';
import { toTotpDraft } from '../factors/schemas.ts';
import { askerOf } from '../http/asker.ts';
import type { Guard } from '../http/guard.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { requireCsrf } from '../sessions/guards.ts';
import { completeFirstStep } from './complete-first-step.ts';
import { draftAtSignIn, enrolAtSignIn, isEnrolling } from './enrol-at-sign-in.ts';
import { browserOf, checkCsrfIfSent, knownBrowserOf, requireFirstStep, waitingSignIn } from './guards.ts';
import {
  type EnrolReply,
  type EnrolRequest,
  enrolReply,
  enrolRequest,
  type LoginReply,
  type LoginRequest,
  loginReply,
  loginRequest,
  type SecondStepReply,
  type SecondStepRequest,
  secondStepReply,
  secondStepRequest,
} from './schemas.ts';
import { type Credentials, credentialsError, verifyPassword } from './verify-password.ts';
import { verifySecondStep } from './verify-second-step.ts';

/** Refuses malformed credentials before the CSRF token is checked. */
export const requireCredentials: Guard = {
  name: 'well-formed credentials',
  errors: ['CREDENTIALS_REQUIRED', 'USERNAME_INVALID', 'PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG'],
  check: ({ body }) => {
    const error = credentialsError(body);
    if (error) throw error;
    return undefined;
  },
};

/** Performs the first step of a sign-in by password for the browser of a call. */
export async function signInByPassword(call: Call, credentials: Credentials, redirect: string) {
  const { services, request } = call;
  request.signInMethod = 'password';
  const { user, password } = await verifyPassword(services, credentials, {
    asker: askerOf(call),
    browser: knownBrowserOf(call),
  });
  const first = { user, browser: await browserOf(call), method: 'password', redirect, password } as const;
  const { state, cookies } = await completeFirstStep(services, first);
  services.cookies.apply(call, cookies);
  return state;
}

async function login(call: Call<LoginRequest>): Promise<LoginReply> {
  const redirect = await returnAddress(call.services, call.body.redirect);
  const state = await signInByPassword(call, call.body, redirect);
  if (state === 'second-step') return { success: true, two_factor_required: true };
  if (state === 'enrolment') return { success: true, two_factor_required: true, enrolment_required: true };
  return { success: true, message: 'Login successful', redirect_url: redirect };
}

/** Creates the guard that refuses a malformed code. It runs before the other guards of a route. */
const codeGuard = (read: (typed: string) => string): Guard => ({
  name: 'well-formed code',
  errors: ['SECOND_STEP_CODE_MALFORMED'],
  check: ({ body }) => {
    const typed = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
    if (typeof typed === 'string' && parseCode(read(typed))) return undefined;
    throw new AppError('SECOND_STEP_CODE_MALFORMED', { field: 'token' });
  },
});

const requireCodeShape = codeGuard((typed) => typed);
/** Refuses a malformed code of a form. A person may type the code with spaces. */
export const requireTypedCode = codeGuard(withoutSpaces);

/**
 * Completes the sign-in that a call belongs to with a code.
 *
 * @returns next: where the browser goes now; recoveryCodes: those of an authenticator app that the user has set up in
 *   this sign-in
 */
export async function completeStep(call: Call, typed: string, trustsDevice: boolean) {
  const { services, request } = call;
  const step = await waitingSignIn(call);
  const code = parseCode(typed);
  if (!step || !code) throw new AppError('FIRST_STEP_REQUIRED');
  request.signInMethod = step.method;
  const answer = { code, trustsDevice, browser: await browserOf(call) };
  const enrolled = isEnrolling(services.settings, step) ? await enrolAtSignIn(services, step, answer) : undefined;
  services.cookies.apply(call, enrolled?.cookies ?? (await verifySecondStep(services, step, answer)));
  return { step, next: await returnAddress(services, step.redirect), recoveryCodes: enrolled?.recoveryCodes };
}

async function verifyCode(call: Call<SecondStepRequest>): Promise<SecondStepReply> {
  const { token, trust_device: trust } = call.body;
  const { next, recoveryCodes: codes } = await completeStep(call, token, trust === true || trust === 'true');
  const shown = codes ? { recovery_codes: codes } : {};
  return { success: true, message: 'Login successful', redirect_url: next, ...shown };
}

async function enrol(call: Call<EnrolRequest>): Promise<EnrolReply> {
  const { services } = call;
  const step = await waitingSignIn(call);
  if (!step) throw new AppError('FIRST_STEP_REQUIRED');
  const draft = await draftAtSignIn(services, step);
  return { success: true, ...toTotpDraft(draft, { application: services.settings, username: step.username }) };
}

export const signinRoutes: AnyRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/login',
    operationId: 'login',
    summary: 'Sign in with username and password',
    kind: 'json',
    guards: [requireCredentials, checkCsrfIfSent],
    limit: { name: 'login', error: 'TOO_MANY_LOGINS' },
    body: json(loginRequest),
    bodyError: credentialsError,
    fieldErrors: {
      username: { missing: 'CREDENTIALS_REQUIRED', invalid: 'USERNAME_INVALID' },
      password: { missing: 'CREDENTIALS_REQUIRED', invalid: 'PASSWORD_TOO_SHORT' },
    },
    replies: { 200: loginReply },
    errors: ['PASSWORD_INCORRECT', 'USER_UNKNOWN', 'ACCOUNT_INACTIVE', 'APP_NOT_ALLOWED'],
    failure: 'LOGIN_FAILED',
    handle: login,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/verify-2fa',
    operationId: 'verifySecondStep',
    summary: 'Complete a sign-in with a code of the second factor',
    kind: 'json',
    guards: [requireCodeShape, requireFirstStep, requireCsrf],
    limit: { name: 'second-step', error: 'TOO_MANY_CODES' },
    body: json(secondStepRequest),
    fieldErrors: { token: { missing: 'SECOND_STEP_CODE_REQUIRED', invalid: 'SECOND_STEP_CODE_MALFORMED' } },
    replies: { 200: secondStepReply },
    errors: [
      'SECOND_STEP_CODE_INCORRECT',
      'SECOND_STEP_MISCONFIGURED',
      'TOTP_NOT_STARTED',
      'APP_NOT_ALLOWED',
      'ACCOUNT_INACTIVE',
    ],
    handle: verifyCode,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/2fa/enrol',
    operationId: 'enrolAtSignIn',
    summary:
      'Create the secret for an authenticator app during a sign-in that requires one; a code from the app then completes the sign-in',
    kind: 'json',
    guards: [requireFirstStep, requireCsrf],
    limit: { name: 'account-change', error: 'TOO_MANY_REQUESTS' },
    body: json(enrolRequest),
    replies: { 200: enrolReply },
    errors: ['SECOND_STEP_CODE_REQUIRED'],
    handle: enrol,
  }),
];
