import { changeBy } from '../events/change.ts';
import { actorOf } from '../http/actor.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form, json } from '../http/route.ts';
import { currentSession, requireCsrf } from '../sessions/guards.ts';
import { type Refusal, refusalOf } from '../ui/refusal.ts';
import { confirmEmail, getEmailLink } from './confirm-email.ts';
import { emailPage } from './page/email/page.ts';
import {
  type ConfirmEmailRequest,
  confirmEmailReply,
  confirmEmailRequest,
  type LinkParams,
  linkParams,
  plainForm,
} from './schemas.ts';

async function showLink(call: Call<unknown, unknown, LinkParams>, refusal?: Refusal) {
  const { services, request, reply, params } = call;
  const { username, email } = await getEmailLink(services.database, services.clock.now(), params.code);
  const csrfToken = services.csrf.tokenFor(request, reply);
  return renderPage(call, emailPage, { state: 'new', username, email, csrfToken, refusal });
}

/** Confirms the address. Returns whether its user is signed in in this browser. */
async function confirm(call: Call, code: string): Promise<boolean> {
  const session = await currentSession(call);
  const userId = await confirmEmail(changeBy(call.services, actorOf(call)), code);
  return session?.userId === userId;
}

async function useLink(call: Call<ConfirmEmailRequest>) {
  await confirm(call, call.body.code);
  return { success: true as const, message: 'E-mail address confirmed' };
}

async function sendForm(call: Call<unknown, unknown, LinkParams>) {
  const isOwn = await confirm(call, call.params.code);
  return redirect(isOwn ? '/authsvc/account?done=emailConfirmed' : '/authsvc/email');
}

const reading = { method: 'GET', kind: 'page', limit: { name: 'account-read', error: 'TOO_MANY_REQUESTS' } } as const;

const confirming = {
  method: 'POST',
  guards: [requireCsrf],
  limit: { name: 'account-change', error: 'TOO_MANY_REQUESTS' },
  errors: ['LINK_INVALID'],
} as const;

/** The routes of links that confirm an e-mail address. */
export const emailRoutes: AnyRoute[] = [
  defineRoute({
    ...reading,
    path: '/authsvc/email/:code',
    operationId: 'showEmailLink',
    summary: 'Show the page of a link that confirms an e-mail address; opening it changes nothing',
    params: linkParams,
    replies: { 200: htmlReply },
    errors: ['LINK_INVALID'],
    handle: (call) => showLink(call),
  }),
  defineRoute({
    ...confirming,
    path: '/authsvc/email/:code',
    operationId: 'sendEmailLinkForm',
    summary: 'Submit the form that confirms an e-mail address',
    kind: 'page',
    params: linkParams,
    body: form(plainForm),
    replies: {
      303: redirectReply('The page of your own account, or a page that says that the address is confirmed'),
      403: htmlReply,
      429: htmlReply,
    },
    handle: sendForm,
    showRefusal: (call: Call<unknown, unknown, LinkParams>, error) => showLink(call, refusalOf(error)),
  }),
  defineRoute({
    ...reading,
    path: '/authsvc/email',
    operationId: 'showEmailConfirmed',
    summary: 'Show that an e-mail address is confirmed',
    replies: { 200: htmlReply },
    handle: async (call) => renderPage(call, emailPage, { state: 'done' }),
  }),
  defineRoute({
    ...confirming,
    path: '/authsvc/api/email',
    operationId: 'confirmEmail',
    summary: 'Confirm an e-mail address with the code of its link; this signs no one in',
    kind: 'json',
    body: json(confirmEmailRequest),
    fieldErrors: { code: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'FIELD_INVALID' } },
    replies: { 200: confirmEmailReply },
    handle: useLink,
  }),
];
