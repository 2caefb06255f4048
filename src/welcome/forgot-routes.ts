import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import { limitKeys } from '../http/client-address.ts';
import type { Guard } from '../http/guard.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form, json } from '../http/route.ts';
import { checkCsrfIfSent } from '../signin/guards.ts';
import { refusalOf } from '../ui/refusal.ts';
import { askForReset } from './forgot-password.ts';
import { requireMail } from './guards.ts';
import { type ForgotPage, forgotPage } from './page/forgot/page.ts';
import { acceptedReply, type ForgotForm, type ForgotRequest, forgotForm, forgotRequest } from './schemas.ts';

/**
 * Counts the request against `account-secret`, the rate limit that it shares with other requests about secrets of an
 * account.
 */
const countSecret: Guard = {
  name: 'budget of the limit `account-secret`',
  errors: ['TOO_MANY_REQUESTS'],
  check: async ({ services, request }) => {
    await services.limiter.consume({ name: 'account-secret', error: 'TOO_MANY_REQUESTS' }, limitKeys(request));
    return undefined;
  },
};

const asking = {
  method: 'POST',
  access: [requireMail],
  guards: [countSecret, checkCsrfIfSent],
  limit: { name: 'forgot', error: 'TOO_MANY_REQUESTS' },
} as const;

async function ask(call: Call<ForgotRequest>) {
  await askForReset(call.services, call.body.username, actorOf(call));
  const message = 'If there is an account with a confirmed e-mail address, a link is on its way';
  return status(202, { success: true, message } as const);
}

async function show(call: Call, facts: Partial<Omit<ForgotPage, 'csrfToken'>> = {}) {
  const { services, request, reply } = call;
  const csrfToken = services.csrf.tokenFor(request, reply);
  return renderPage(call, forgotPage, { isSent: false, username: '', refusal: undefined, ...facts, csrfToken });
}

const MAX_TYPED = 320;

function typedIn(body: unknown): string {
  const typed: unknown = Reflect.get(Object(body), 'username');
  return typeof typed === 'string' ? typed.trim().slice(0, MAX_TYPED) : '';
}

function nameIn({ body }: Call<ForgotForm>): string {
  const typed = typedIn(body);
  if (typed === '') throw new AppError('MISSING_REQUIRED_FIELD', { field: 'username' });
  return typed;
}

async function sendForm(call: Call<ForgotForm>) {
  await askForReset(call.services, nameIn(call), actorOf(call));
  return status(202, await show(call, { isSent: true }));
}

/** The routes for a forgotten password. */
export const forgotRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/forgot',
    operationId: 'showForgotPage',
    summary: 'Show the page for a forgotten password; 404 if no mail server is set',
    kind: 'page',
    access: [requireMail],
    limit: { name: 'account-read', error: 'TOO_MANY_REQUESTS' },
    replies: { 200: htmlReply },
    handle: (call) => show(call),
  }),
  defineRoute({
    ...asking,
    path: '/authsvc/forgot',
    operationId: 'sendForgotForm',
    summary: 'Submit the form of the forgotten password page: request a mail with a link',
    kind: 'page',
    body: form(forgotForm),
    replies: { 202: htmlReply, 400: htmlReply, 403: htmlReply, 429: htmlReply },
    errors: ['MISSING_REQUIRED_FIELD'],
    checkInput: (call) => void nameIn(call),
    handle: sendForm,
    showRefusal: (call, error) => show(call, { username: typedIn(call.body), refusal: refusalOf(error) }),
  }),
  defineRoute({
    ...asking,
    path: '/authsvc/api/forgot',
    operationId: 'askForReset',
    summary: 'Request a mail with a link to choose a new password; the reply does not reveal whether the user exists',
    kind: 'json',
    body: json(forgotRequest),
    fieldErrors: { username: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'FIELD_INVALID' } },
    replies: { 202: acceptedReply },
    handle: ask,
  }),
];
