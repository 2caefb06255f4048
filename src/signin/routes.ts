import { applicationNameAt, returnAddress } from '../applications/return-address.ts';
import { AppError } from '../errors/app-error.ts';
import { parseCode } from '../factors/code.ts';
import { toTotpDraft } from '../factors/schemas.ts';
import { askerOf } from '../http/asker.ts';
import type { Guard } from '../http/guard.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { currentSession, isSignedIn, requireCsrf } from '../sessions/guards.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import { completeFirstStep } from './complete-first-step.ts';
import { draftAtSignIn, enrolAtSignIn, isEnrolling } from './enrol-at-sign-in.ts';
import { endedSecondSteps } from './find-second-step.ts';
import { browserOf, checkCsrfIfSent, heldSteps, knownBrowserOf, requireFirstStep, waitingSignIn } from './guards.ts';
import { enrolPage } from './page/enrol/page.ts';
import { loginPage, loginPageData } from './page/login/page.ts';
import { twoFactorPage } from './page/two-factor/page.ts';
import {
  type EnrolReply,
  type EnrolRequest,
  enrolReply,
  enrolRequest,
  type LoginPageQuery,
  type LoginReply,
  type LoginRequest,
  loginPageQuery,
  loginReply,
  loginRequest,
  type SecondStepReply,
  type SecondStepRequest,
  secondStepPageQuery,
  secondStepReply,
  secondStepRequest,
} from './schemas.ts';
import { clearedStep } from './second-step-cookie.ts';
import { credentialsError, verifyPassword } from './verify-password.ts';
import { verifySecondStep } from './verify-second-step.ts';

/** Refuses invalid credentials before the CSRF token is checked. */
const requireCredentials: Guard = {
  name: 'well-formed credentials',
  errors: ['CREDENTIALS_REQUIRED', 'USERNAME_INVALID', 'PASSWORD_TOO_SHORT', 'PASSWORD_TOO_LONG'],
  check: ({ body }) => {
    const error = credentialsError(body);
    if (error) throw error;
    return undefined;
  },
};

async function login(call: Call<LoginRequest>): Promise<LoginReply> {
  const { services, body, request } = call;
  request.signInMethod = 'password';
  const { user, password } = await verifyPassword(services, body, {
    asker: askerOf(call),
    browser: knownBrowserOf(call),
  });
  const redirect = await returnAddress(services, body.redirect);
  const first = { user, browser: await browserOf(call), method: 'password', redirect, password };
  const { state, cookies } = await completeFirstStep(services, first);
  services.cookies.apply(call, cookies);
  if (state === 'second-step') return { success: true, two_factor_required: true };
  if (state === 'enrolment') return { success: true, two_factor_required: true, enrolment_required: true };
  return { success: true, message: 'Login successful', redirect_url: redirect };
}

/** Refuses an invalid code before anything else is checked. */
const requireCodeShape: Guard = {
  name: 'well-formed code',
  errors: ['SECOND_STEP_CODE_MALFORMED'],
  check: ({ body }) => {
    const typed = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
    if (typeof typed === 'string' && parseCode(typed)) return undefined;
    throw new AppError('SECOND_STEP_CODE_MALFORMED', { field: 'token' });
  },
};

async function verifyCode(call: Call<SecondStepRequest>): Promise<SecondStepReply> {
  const { services, body, request } = call;
  const step = await waitingSignIn(call);
  const code = parseCode(body.token);
  if (!step || !code) throw new AppError('FIRST_STEP_REQUIRED');
  request.signInMethod = step.method;
  const trustsDevice = body.trust_device === true || body.trust_device === 'true';
  const answer = { code, trustsDevice, browser: await browserOf(call) };
  const enrolled = isEnrolling(services.settings, step) ? await enrolAtSignIn(services, step, answer) : undefined;
  services.cookies.apply(call, enrolled?.cookies ?? (await verifySecondStep(services, step, answer)));
  const { recoveryCodes: codes } = enrolled ?? {};
  const next = await returnAddress(services, step.redirect);
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

async function showSecondStep(call: Call) {
  const { services, request, reply } = call;
  const step = await waitingSignIn(call);
  const page = {
    csrfToken: services.csrf.tokenFor(request, reply),
    customURL: await returnAddress(services, step?.redirect),
    trustDeviceDays: services.settings.DEVICE_TRUST_DURATION_DAYS,
    username: step?.username ?? '',
    step: step?.name ?? '',
  };
  if (step && isEnrolling(services.settings, step)) return renderPage(call, enrolPage, page);
  return renderPage(call, twoFactorPage, { ...page, triesLeft: step?.attempts_left ?? 0 });
}

async function showLoginPage(call: Call<unknown, LoginPageQuery>) {
  const { services, request, reply, query } = call;
  const { settings, cookies, csrf } = services;
  const [lastMethod] = cookies.read(request, 'lastLoginMethod');
  const { ended, reason: beginAgain } = await endedSecondSteps(services, heldSteps(call));
  cookies.apply(call, ended.map(clearedStep));
  const customURL = await returnAddress(services, query.redirect);
  const facts = {
    providers: settings.identityProviders,
    customURL,
    application: await applicationNameAt(services, customURL),
    person: await currentSession(call),
    adding: query.add !== undefined,
    again: query.again !== undefined,
    hint: query.login_hint,
    csrfToken: csrf.tokenFor(request, reply),
    beginAgain,
    hasMail: settings.SMTP_URL !== undefined,
    hasPasskeys: passkeyRpId(settings) !== undefined,
    lastMethod,
  };
  return renderPage(call, loginPage, loginPageData(facts));
}

const shortAddress = (path: string, operationId: string): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    operationId,
    summary: 'Short address of the login page; keeps query parameters',
    kind: 'page',
    replies: { 302: redirectReply('The login page, with the same query') },
    handle: async ({ request }) => {
      const at = request.url.indexOf('?');
      return redirect(`/authsvc/login${at < 0 ? '' : request.url.slice(at)}`);
    },
  });

export const signinRoutes: AnyRoute[] = [
  shortAddress('/login', 'goToLogin'),
  shortAddress('/signin', 'goToSignin'),
  defineRoute({
    method: 'GET',
    path: '/authsvc/login',
    operationId: 'showLoginPage',
    summary: 'The login page',
    kind: 'page',
    limit: { name: 'login-page', error: 'TOO_MANY_REQUESTS' },
    exempt: { who: 'signed-in callers', check: isSignedIn },
    query: loginPageQuery,
    replies: { 200: htmlReply },
    handle: showLoginPage,
  }),
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
    method: 'GET',
    path: '/authsvc/2fa',
    operationId: 'showSecondStepPage',
    summary: 'The page for the second step; without a first step, the login page',
    kind: 'page',
    access: [requireFirstStep],
    limit: { name: 'second-step-page', error: 'TOO_MANY_REQUESTS' },
    query: secondStepPageQuery,
    replies: { 200: htmlReply },
    handle: showSecondStep,
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
    summary: 'Draft an authenticator app in a sign-in that requires one; a code of it completes the sign-in',
    kind: 'json',
    guards: [requireFirstStep, requireCsrf],
    limit: { name: 'account-change', error: 'TOO_MANY_REQUESTS' },
    body: json(enrolRequest),
    replies: { 200: enrolReply },
    errors: ['SECOND_STEP_CODE_REQUIRED'],
    handle: enrol,
  }),
];
