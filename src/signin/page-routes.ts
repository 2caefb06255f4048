import { goOn } from '../applications/go-on.ts';
import { applicationNameAt, returnAddress } from '../applications/return-address.ts';
import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import { withoutSpaces } from '../factors/code.ts';
import { toTotpDraft } from '../factors/schemas.ts';
import { findDraft } from '../factors/totp-draft.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { currentSession, isSignedIn, requireCsrf } from '../sessions/guards.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import { type Refusal, refusalOf } from '../ui/refusal.ts';
import { draftAtSignIn, isEnrolling } from './enrol-at-sign-in.ts';
import { endedSecondSteps, type SecondStep } from './find-second-step.ts';
import { checkCsrfIfSent, heldSteps, requireFirstStep, waitingSignIn } from './guards.ts';
import { enrolPage } from './page/enrol/page.ts';
import { type LoginPage, loginPage, loginPageData } from './page/login/page.ts';
import { twoFactorPage } from './page/two-factor/page.ts';
import { completeStep, requireCredentials, requireTypedCode, signInByPassword } from './routes.ts';
import {
  enrolForm,
  type LoginForm,
  type LoginPageQuery,
  loginForm,
  loginPageQuery,
  type SecondStepForm,
  type SecondStepPageQuery,
  secondStepForm,
  secondStepPageQuery,
} from './schemas.ts';
import { clearedStep } from './second-step-cookie.ts';
import { credentialsError } from './verify-password.ts';

const LOGIN = '/authsvc/login';
const SECOND_STEP = '/authsvc/2fa';

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The errors about a code, which the page shows below the field of the code. */
const aboutTheCode: readonly ErrorName[] = [
  'SECOND_STEP_CODE_REQUIRED',
  'SECOND_STEP_CODE_MALFORMED',
  'SECOND_STEP_CODE_INCORRECT',
];

/** The errors about a name or a password, and the field below which the page shows each. */
const loginFields: { readonly [Name in ErrorName]?: 'username' | 'password' } = {
  USERNAME_INVALID: 'username',
  PASSWORD_TOO_SHORT: 'password',
  PASSWORD_TOO_LONG: 'password',
  PASSWORD_INCORRECT: 'password',
  USER_UNKNOWN: 'password',
};

async function showLogin(
  call: Call<unknown, LoginPageQuery>,
  { refusal, typed }: { refusal?: LoginPage['refusal']; typed?: string } = {},
) {
  const { services, request, reply, query } = call;
  const { settings, cookies, csrf } = services;
  const [lastMethod] = cookies.read(request, 'lastLoginMethod');
  const { ended, reason: beginAgain } = await endedSecondSteps(services, heldSteps(call));
  cookies.apply(call, ended.map(clearedStep));
  const customURL = await returnAddress(services, query.redirect);
  const person = await currentSession(call);
  const [adding, again] = [query.add !== undefined, query.again !== undefined];
  if (person && !adding && !again && query.onward !== undefined) reply.header('refresh', `0;url=${customURL}`);
  const facts = {
    providers: settings.identityProviders,
    customURL,
    application: await applicationNameAt(services, customURL),
    person,
    adding,
    again,
    hint: typed ?? query.login_hint,
    csrfToken: csrf.tokenFor(request, reply),
    beginAgain: refusal ? undefined : beginAgain,
    hasMail: settings.SMTP_URL !== undefined,
    hasPasskeys: passkeyRpId(settings) !== undefined,
    lastMethod,
    refusal,
  };
  return renderPage(call, loginPage, loginPageData(facts));
}

async function sendLogin(call: Call<LoginForm, LoginPageQuery>) {
  const { username, password } = call.body;
  const target = await returnAddress(call.services, call.query.redirect);
  const credentials = { username: textOf(username), password: textOf(password) };
  const state = await signInByPassword(call, credentials, target);
  return state === 'signed-in' ? goOn(target) : redirect(SECOND_STEP);
}

/** Shows the login page again, with the error of the submitted form and the name that was sent. */
function refuseLogin(call: Call<unknown, LoginPageQuery>, error: AppError) {
  const { code, parameters } = error;
  const field = loginFields[code] ?? (parameters.field === 'username' ? 'username' : undefined);
  const isEmpty = code === 'CREDENTIALS_REQUIRED' && parameters.field === 'password';
  const refusal = { ...refusalOf(error), field: isEmpty ? ('password' as const) : field };
  const typed = textOf(Reflect.get(Object(call.body), 'username'));
  return showLogin(call, { refusal, typed });
}

interface Shown {
  refusal?: (Refusal & { isOfCode: boolean }) | undefined;
  usesRecovery?: boolean;
  trusts?: boolean;
}

async function showStep(
  call: Call,
  step: SecondStep | undefined,
  { refusal, usesRecovery = false, trusts = false }: Shown = {},
) {
  const { services, request, reply } = call;
  const { settings, database, dataSealer, clock, csrf } = services;
  const page = {
    csrfToken: csrf.tokenFor(request, reply),
    customURL: await returnAddress(services, step?.redirect),
    trustDeviceDays: settings.DEVICE_TRUST_DURATION_DAYS,
    username: step?.username ?? '',
    step: step?.name ?? '',
    refusal,
    trusts,
  };
  if (!step || !isEnrolling(settings, step))
    return renderPage(call, twoFactorPage, { ...page, triesLeft: step?.attempts_left ?? 0, usesRecovery });
  const found = await findDraft(database, dataSealer, { holder: { secondStepId: step.id }, now: clock.now() });
  const draft = found && toTotpDraft(found, { application: settings, username: step.username });
  return renderPage(call, enrolPage, { ...page, draft, recoveryCodes: undefined });
}

const showSecondStep = async (call: Call<unknown, SecondStepPageQuery>) =>
  showStep(call, await waitingSignIn(call), { usesRecovery: call.query.recovery !== undefined });

function requireCodeInput({ body }: Call<SecondStepForm>): void {
  if (withoutSpaces(textOf(body.token)) === '') throw new AppError('SECOND_STEP_CODE_REQUIRED', { field: 'token' });
}

async function sendCode(call: Call<SecondStepForm>) {
  const { token, trust_device: trust } = call.body;
  const { step, next, recoveryCodes } = await completeStep(call, withoutSpaces(textOf(token)), trust === 'true');
  if (!recoveryCodes) return goOn(next);
  const { username, name } = step;
  const page = { csrfToken: '', customURL: next, trustDeviceDays: 0, username, step: name, trusts: false };
  return renderPage(call, enrolPage, { ...page, draft: undefined, recoveryCodes, refusal: undefined });
}

/**
 * Shows the page of the second step again, with the error of the submitted form. If the sign-in has ended, shows the
 * login page.
 */
async function refuseCode(call: Call<unknown, SecondStepPageQuery>, error: AppError) {
  const step = await waitingSignIn(call);
  const { query, body } = call;
  if (step) {
    const refusal = { ...refusalOf(error), isOfCode: aboutTheCode.includes(error.code) };
    const trusts = Reflect.get(Object(body), 'trust_device') === 'true';
    return showStep(call, step, { refusal, usesRecovery: query.recovery !== undefined, trusts });
  }
  const back = await returnAddress(call.services, Reflect.get(Object(body), 'redirect'));
  return redirect(`${LOGIN}?redirect=${encodeURIComponent(back)}`);
}

async function sendDraft(call: Call) {
  const step = await waitingSignIn(call);
  if (!step) throw new AppError('FIRST_STEP_REQUIRED');
  await draftAtSignIn(call.services, step);
  return redirect(`${SECOND_STEP}?step=${step.name}`);
}

const shortAddress = (path: string, operationId: string): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    operationId,
    summary: 'Redirect to the login page, with the same query parameters',
    kind: 'page',
    replies: { 302: redirectReply('The login page, with the same query') },
    handle: async ({ request }) => {
      const at = request.url.indexOf('?');
      return redirect(`${LOGIN}${at < 0 ? '' : request.url.slice(at)}`);
    },
  });

/**
 * The replies to a form that is refused. The page shows the form again with one of these statuses. If the sign-in has
 * ended, the form of its second step redirects to the login page instead.
 */
const refused = { 400: htmlReply, 401: htmlReply, 403: htmlReply, 429: htmlReply } as const;

/** The pages of a sign-in and their forms, which work without scripts. */
export const signinPageRoutes: AnyRoute[] = [
  shortAddress('/login', 'goToLogin'),
  shortAddress('/signin', 'goToSignin'),
  defineRoute({
    method: 'GET',
    path: LOGIN,
    operationId: 'showLoginPage',
    summary: 'Show the login page',
    kind: 'page',
    limit: { name: 'login-page', error: 'TOO_MANY_REQUESTS' },
    exempt: { who: 'signed-in callers', check: isSignedIn },
    query: loginPageQuery,
    replies: { 200: htmlReply },
    handle: (call) => showLogin(call),
  }),
  defineRoute({
    method: 'POST',
    path: LOGIN,
    operationId: 'sendLoginForm',
    summary: 'Submit the form of the login page: sign in with username and password',
    kind: 'page',
    guards: [requireCredentials, checkCsrfIfSent],
    limit: { name: 'login', error: 'TOO_MANY_LOGINS' },
    query: loginPageQuery,
    body: form(loginForm),
    bodyError: credentialsError,
    replies: { 303: redirectReply('The page after the sign-in, or the page of the second step'), ...refused },
    errors: ['PASSWORD_INCORRECT', 'USER_UNKNOWN', 'ACCOUNT_INACTIVE', 'APP_NOT_ALLOWED'],
    failure: 'LOGIN_FAILED',
    handle: sendLogin,
    showRefusal: refuseLogin,
  }),
  defineRoute({
    method: 'GET',
    path: SECOND_STEP,
    operationId: 'showSecondStepPage',
    summary: 'Show the page of the second step; redirect to the login page if there was no first step',
    kind: 'page',
    access: [requireFirstStep],
    limit: { name: 'second-step-page', error: 'TOO_MANY_REQUESTS' },
    query: secondStepPageQuery,
    replies: { 200: htmlReply },
    handle: showSecondStep,
  }),
  defineRoute({
    method: 'POST',
    path: SECOND_STEP,
    operationId: 'sendSecondStepForm',
    summary:
      'Submit the form of the second step: complete a sign-in with a code; if it sets up an authenticator app, show the recovery codes',
    kind: 'page',
    guards: [requireTypedCode, requireFirstStep, requireCsrf],
    limit: { name: 'second-step', error: 'TOO_MANY_CODES' },
    query: secondStepPageQuery,
    body: form(secondStepForm),
    replies: { 200: htmlReply, 303: redirectReply('The page after the sign-in'), ...refused },
    errors: [
      'SECOND_STEP_CODE_REQUIRED',
      'SECOND_STEP_CODE_INCORRECT',
      'SECOND_STEP_MISCONFIGURED',
      'TOTP_NOT_STARTED',
      'APP_NOT_ALLOWED',
      'ACCOUNT_INACTIVE',
    ],
    checkInput: requireCodeInput,
    handle: sendCode,
    showRefusal: refuseCode,
  }),
  defineRoute({
    method: 'POST',
    path: `${SECOND_STEP}/enrol`,
    operationId: 'sendEnrolForm',
    summary: 'Submit the form that starts to set up an authenticator app during a sign-in that requires one',
    kind: 'page',
    guards: [requireFirstStep, requireCsrf],
    limit: { name: 'account-change', error: 'TOO_MANY_REQUESTS' },
    query: secondStepPageQuery,
    body: form(enrolForm),
    replies: { 303: redirectReply('The same page, with the QR code'), ...refused },
    errors: ['SECOND_STEP_CODE_REQUIRED'],
    handle: sendDraft,
    showRefusal: refuseCode,
  }),
];
