import { AppError } from '../errors/app-error.ts';
import type { ErrorName } from '../errors/registry.ts';
import { withoutSpaces } from '../factors/code.ts';
import { answeringBrowser, askingBrowser, requirePasskeys } from '../factors/guards.ts';
import { offerPasskey } from '../factors/offer-passkey.ts';
import { askerOf } from '../http/asker.ts';
import type { Guard } from '../http/guard.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form, json } from '../http/route.ts';
import { formHeaders } from '../http/security-headers.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import { browserOf, checkCsrfIfSent } from '../signin/guards.ts';
import { refusalOf } from '../ui/refusal.ts';
import { passwordLengthError } from '../users/password-rules.ts';
import { acceptLink, type LinkUse, type NewCredential, requireUsableLink } from './accept-link.ts';
import { endsSessions, getLink } from './find-link.ts';
import { type WelcomePage, welcomePage } from './page/welcome/page.ts';
import {
  type LinkOptionsReply,
  type LinkOptionsRequest,
  type LinkParams,
  linkOptionsReply,
  linkOptionsRequest,
  linkParams,
  type WelcomeForm,
  type WelcomeReply,
  type WelcomeRequest,
  welcomeForm,
  welcomeReply,
  welcomeRequest,
} from './schemas.ts';

const SECOND_STEP_PAGE = '/authsvc/2fa';

const secretLimit = { name: 'account-secret', error: 'TOO_MANY_REQUESTS' } as const;
const errors = [
  'LINK_INVALID',
  'ACCOUNT_INACTIVE',
  'APP_NOT_ALLOWED',
  'PASSWORD_TOO_SHORT',
  'PASSWORD_TOO_LONG',
  'PASSWORD_TOO_COMMON',
  'PASSWORD_UNCHANGED',
  'SECOND_STEP_CODE_REQUIRED',
  'TOTP_CODE_INCORRECT',
  'TOO_MANY_CODES',
  'SECOND_STEP_MISCONFIGURED',
] as const;

/** The errors that the page shows below a field, and the field for each. */
const fieldOfError: { readonly [Name in ErrorName]?: 'new_password' | 'token' } = {
  PASSWORD_UNCHANGED: 'new_password',
  SECOND_STEP_CODE_REQUIRED: 'token',
  TOTP_CODE_INCORRECT: 'token',
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

async function accept(
  call: Call,
  { code, credential, token }: Pick<LinkUse, 'code' | 'credential'> & { token: unknown },
) {
  const { services, request } = call;
  request.signInMethod = 'link';
  const use = { code, credential, token: withoutSpaces(textOf(token)), browser: await browserOf(call) };
  const { state, cookies } = await acceptLink(services, use);
  services.cookies.apply(call, cookies);
  return state;
}

/** Returns the credential in a request: a password, or a passkey if passkeys are on. */
async function readCredential(call: Call<WelcomeRequest>): Promise<NewCredential> {
  const { new_password: newPassword, response } = call.body;
  if (response === undefined) return { kind: 'password', newPassword: newPassword ?? '', asker: askerOf(call) };
  await requirePasskeys.check(call);
  return { kind: 'passkey', response, from: await answeringBrowser(call) };
}

/** Refuses a request that has neither a password nor a passkey, or both, before the link is read. */
const requireOneCredential: Guard = {
  name: 'a password or a passkey',
  errors: ['MISSING_REQUIRED_FIELD', 'FIELD_INVALID'],
  check: ({ body }) => {
    const isGiven = ['new_password', 'response'].map((field) => Reflect.get(Object(body), field) !== undefined);
    if (isGiven.filter(Boolean).length === 1) return undefined;
    const name = isGiven.includes(true) ? 'FIELD_INVALID' : 'MISSING_REQUIRED_FIELD';
    throw new AppError(name, { field: 'new_password' });
  },
};

async function useLink(call: Call<WelcomeRequest>): Promise<WelcomeReply> {
  const { code, token } = call.body;
  const credential = await readCredential(call);
  const state = await accept(call, { code, credential, token });
  if (state === 'enrolment') {
    const message = 'Password set. Set up a second factor to sign in.';
    const due = { two_factor_required: true, enrolment_required: true } as const;
    return { success: true, message, redirect_url: SECOND_STEP_PAGE, ...due };
  }
  const { LOGIN_REDIRECT_URL: target } = call.services.settings;
  const done = credential.kind === 'password' ? 'Password set' : 'Passkey added';
  return { success: true, message: `${done}. You are signed in.`, redirect_url: target };
}

async function offer(call: Call<LinkOptionsRequest>): Promise<LinkOptionsReply> {
  const { services, body } = call;
  const { user, codeHash } = await requireUsableLink(services, body.code);
  const holder = await askingBrowser(call);
  return { success: true, options: await offerPasskey(services, user, { holder, purpose: `link ${codeHash}` }) };
}

async function showPage(call: Call, code: string, refusal: WelcomePage['refusal']) {
  const { services, request, reply } = call;
  const { database, settings, clock, csrf } = services;
  const needs = { database, settings, now: clock.now() };
  const link = await getLink(needs, code);
  const { kind, user, asksForCode } = link;
  const csrfToken = csrf.tokenFor(request, reply);
  const hasPasskeys = passkeyRpId(settings) !== undefined;
  const { username } = user;
  const { 'content-security-policy': policy } = formHeaders(settings, settings.LOGIN_REDIRECT_URL);
  reply.headers({ 'content-security-policy': policy });
  const shown = { kind, code, username, csrfToken, asksForCode, hasPasskeys, refusal };
  return renderPage(call, welcomePage, { ...shown, signsOut: await endsSessions(needs, link) });
}

const showLink = (call: Call<unknown, unknown, LinkParams>) => showPage(call, call.params.code, undefined);

/** Refuses a password of an invalid length before the CSRF token is checked. */
function requirePasswordLength({ body }: Call<WelcomeForm>): void {
  const newPassword = textOf(body.new_password);
  if (newPassword === '') throw new AppError('MISSING_REQUIRED_FIELD', { field: 'new_password' });
  const error = passwordLengthError(newPassword);
  if (error) throw new AppError(error, { field: 'new_password' });
}

async function sendForm(call: Call<WelcomeForm, unknown, LinkParams>) {
  const { new_password: newPassword, token } = call.body;
  const { code } = call.params;
  const credential = { kind: 'password', newPassword: textOf(newPassword), asker: askerOf(call) } as const;
  const state = await accept(call, { code, credential, token });
  return state === 'enrolment' ? redirect(SECOND_STEP_PAGE) : redirect(call.services.settings.LOGIN_REDIRECT_URL);
}

/** Shows the page again with the error of the submitted form. If the link is not valid, shows the error page. */
async function refuseForm(call: Call<unknown, unknown, LinkParams>, error: AppError) {
  const { code, parameters } = error;
  const field = parameters.field === 'new_password' ? parameters.field : fieldOfError[code];
  return showPage(call, call.params.code, { ...refusalOf(error), field });
}

/** The routes of links to choose a password, for invitations and resets. */
export const welcomeRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/welcome/:code',
    operationId: 'showWelcomePage',
    summary: 'Show the page of an invitation or password reset link; opening it changes nothing',
    kind: 'page',
    limit: { name: 'account-read', error: 'TOO_MANY_REQUESTS' },
    params: linkParams,
    replies: { 200: htmlReply },
    errors: ['LINK_INVALID'],
    handle: showLink,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/welcome/:code',
    operationId: 'sendWelcomeForm',
    summary: 'Submit the form of an invitation or password reset link: set the password and sign in',
    kind: 'page',
    guards: [checkCsrfIfSent],
    limit: secretLimit,
    params: linkParams,
    body: form(welcomeForm),
    replies: { 303: redirectReply('The page after the sign-in'), 400: htmlReply, 403: htmlReply, 429: htmlReply },
    errors,
    checkInput: requirePasswordLength,
    handle: sendForm,
    showRefusal: refuseForm,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/welcome',
    operationId: 'useLink',
    summary: 'Use an invitation or password reset link: set a password or add a passkey instead, and sign in',
    kind: 'json',
    guards: [requireOneCredential, checkCsrfIfSent],
    limit: secretLimit,
    body: json(welcomeRequest),
    fieldErrors: {
      code: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'FIELD_INVALID' },
      new_password: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'PASSWORD_TOO_SHORT', wrongType: 'FIELD_INVALID' },
    },
    replies: { 200: welcomeReply },
    errors: [...errors, 'NOT_FOUND', 'PASSKEY_INVALID', 'PASSKEY_TAKEN', 'LIMIT_REACHED'],
    handle: useLink,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/welcome/options',
    operationId: 'offerPasskeyByLink',
    summary:
      'Start to add a passkey with an invitation or reset link: return the options that the browser passes to its authenticators',
    kind: 'json',
    access: [requirePasskeys],
    guards: [checkCsrfIfSent],
    limit: { name: 'passkey-options', error: 'TOO_MANY_REQUESTS' },
    body: json(linkOptionsRequest),
    fieldErrors: { code: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'FIELD_INVALID' } },
    replies: { 200: linkOptionsReply },
    errors: ['LINK_INVALID', 'ACCOUNT_INACTIVE', 'APP_NOT_ALLOWED'],
    handle: offer,
  }),
];
