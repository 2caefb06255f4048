import { AppError } from '../errors/app-error.ts';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import { askerOf } from '../http/asker.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply, status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form, json } from '../http/route.ts';
import { browserOf, checkCsrfIfSent } from '../signin/guards.ts';
import { acceptLink } from './accept-link.ts';
import { getLink } from './find-link.ts';
import { type WelcomePage, welcomePage } from './page/welcome/page.ts';
import {
  type LinkParams,
  linkParams,
  type WelcomeForm,
  type WelcomeReply,
  type WelcomeRequest,
  welcomeForm,
  welcomeReply,
  welcomeRequest,
} from './schemas.ts';

const secretLimit = { name: 'account-secret', error: 'TOO_MANY_REQUESTS' } as const;
const errors = [
  'LINK_INVALID',
  'ACCOUNT_INACTIVE',
  'APP_NOT_ALLOWED',
  'PASSWORD_TOO_SHORT',
  'PASSWORD_TOO_LONG',
  'PASSWORD_TOO_COMMON',
  'SECOND_STEP_CODE_REQUIRED',
  'TOTP_CODE_INCORRECT',
  'TOO_MANY_CODES',
  'SECOND_STEP_MISCONFIGURED',
] as const;

/** The refusals that the page shows beside a field. */
const fieldOfError: { readonly [Name in ErrorName]?: 'new_password' | 'token' } = {
  PASSWORD_TOO_SHORT: 'new_password',
  PASSWORD_TOO_LONG: 'new_password',
  PASSWORD_TOO_COMMON: 'new_password',
  SECOND_STEP_CODE_REQUIRED: 'token',
  TOTP_CODE_INCORRECT: 'token',
};

async function accept(call: Call, { code, newPassword, token }: Record<'code' | 'newPassword' | 'token', unknown>) {
  const { services, request } = call;
  request.signInMethod = 'link';
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
  const use = { code: textOf(code), newPassword: textOf(newPassword), token: textOf(token).trim() };
  const browser = await browserOf(call);
  services.cookies.apply(call, await acceptLink(services, { ...use, browser, asker: askerOf(call) }));
}

async function useLink(call: Call<WelcomeRequest>): Promise<WelcomeReply> {
  const { code, new_password: newPassword, token } = call.body;
  await accept(call, { code, newPassword, token });
  const { LOGIN_REDIRECT_URL: target } = call.services.settings;
  return { success: true, message: 'Password set. You are signed in.', redirect_url: target };
}

async function showPage(call: Call, code: string, refusal: WelcomePage['refusal']) {
  const { services, request, reply } = call;
  const { database, settings, clock, csrf } = services;
  const { kind, user, asksForCode } = await getLink({ database, settings, now: clock.now() }, code);
  const csrfToken = csrf.tokenFor(request, reply);
  return renderPage(call, welcomePage, { kind, username: user.username, csrfToken, asksForCode, refusal });
}

const showLink = (call: Call<unknown, unknown, LinkParams>) => showPage(call, call.params.code, undefined);

async function sendForm(call: Call<WelcomeForm, unknown, LinkParams>) {
  const { new_password: newPassword, token } = call.body;
  const { code } = call.params;
  try {
    await accept(call, { code, newPassword, token });
    return redirect(call.services.settings.LOGIN_REDIRECT_URL);
  } catch (error) {
    const field = error instanceof AppError ? fieldOfError[error.code] : undefined;
    if (!(error instanceof AppError) || !field) throw error;
    const page = await showPage(call, code, { field, code: error.code });
    return status(errorRegistry[error.code].status === 403 ? 403 : 400, page);
  }
}

/** Links to choose a password: invitations and resets. */
export const welcomeRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/welcome/:code',
    operationId: 'showWelcomePage',
    summary: 'The page of an invitation or of a reset link; opening it changes nothing',
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
    summary: 'The form of that page: set the password and sign in',
    kind: 'page',
    guards: [checkCsrfIfSent],
    limit: secretLimit,
    params: linkParams,
    body: form(welcomeForm),
    replies: { 303: redirectReply('Where the sign-in goes'), 400: htmlReply, 403: htmlReply },
    errors,
    handle: sendForm,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/welcome',
    operationId: 'useLink',
    summary: 'Use the link of an invitation or of a reset: set the password and sign in',
    kind: 'json',
    guards: [checkCsrfIfSent],
    limit: secretLimit,
    body: json(welcomeRequest),
    fieldErrors: {
      code: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'FIELD_INVALID' },
      new_password: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'PASSWORD_TOO_SHORT', wrongType: 'FIELD_INVALID' },
    },
    replies: { 200: welcomeReply },
    errors,
    handle: useLink,
  }),
];
