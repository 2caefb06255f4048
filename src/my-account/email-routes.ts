import { requireConfirmed } from '../factors/guards.ts';
import type { Guard } from '../http/guard.ts';
import { status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { requireEmail } from '../users/email.ts';
import { requireMail } from '../welcome/guards.ts';
import { offerEmail, removeEmail } from '../welcome/offer-email.ts';
import { changeOf, changing, fieldsOf } from './guards.ts';
import { doneReply, type EmailRequest, emailReply, emailRequest, plainRequest } from './schemas.ts';

/** Refuses an invalid e-mail address before the CSRF token is checked. */
export const requireAddress: Guard = {
  name: 'well-formed e-mail address',
  errors: ['EMAIL_INVALID'],
  check: ({ body }) => {
    requireEmail(String(fieldsOf(body).email));
    return undefined;
  },
};

async function change(call: Call<EmailRequest>) {
  const { settings, outbox, baseUrl } = call.services;
  const email = requireEmail(call.body.email);
  await offerEmail({ ...changeOf(call), settings, outbox, baseUrl: baseUrl() }, await getSession(call), email);
  return status(202, { success: true as const, email_pending: email.address });
}

async function remove(call: Call) {
  await removeEmail(changeOf(call), await getSession(call));
  return { success: true as const };
}

/** The JSON routes for the user's e-mail address. */
export const myEmailRoutes: AnyRoute[] = [
  defineRoute({
    ...changing,
    method: 'POST',
    path: '/authsvc/api/account/email',
    operationId: 'changeOwnEmail',
    summary:
      'Mail a confirmation link to a new e-mail address, which takes effect when the link is used; 404 if no mail server is set',
    guards: [requireMail, requireAddress, requireCsrf, requireConfirmed],
    body: json(emailRequest),
    fieldErrors: { email: { missing: 'EMAIL_INVALID', invalid: 'EMAIL_INVALID' } },
    replies: { 202: emailReply },
    handle: change,
  }),
  defineRoute({
    ...changing,
    method: 'DELETE',
    path: '/authsvc/api/account/email',
    operationId: 'removeOwnEmail',
    summary: 'Remove your e-mail address and a new one that is not confirmed yet; 404 if no mail server is set',
    guards: [requireMail, requireCsrf, requireConfirmed],
    body: json(plainRequest),
    replies: { 200: doneReply },
    handle: remove,
  }),
];
