import type { Guard } from '../http/guard.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { requireEmail } from '../users/email.ts';
import { requireMail } from '../welcome/guards.ts';
import { offerEmail, removeEmail } from '../welcome/offer-email.ts';
import { requireAddress } from './email-routes.ts';
import { accountForm, confirmByForm, confirmErrors, requireProofInput, sending, textOf } from './form-guards.ts';
import { type EmailForm, emailForm, plainForm } from './form-schemas.ts';
import { changeOf, fieldsOf } from './guards.ts';
import { overviewOf } from './page-routes.ts';

/**
 * Refuses a form with more than one proof. The check is a guard, so that it runs after `requireMail`: without a mail
 * server, these forms answer 404 whatever they contain.
 */
const requireOneProof: Guard = {
  name: 'at most one proof of identity: password or code',
  errors: ['FIELD_INVALID'],
  check: (call) => {
    requireProofInput(call);
    return undefined;
  },
};

async function offer(call: Call<EmailForm>): Promise<void> {
  await confirmByForm(call);
  const { settings, outbox, baseUrl } = call.services;
  const email = requireEmail(textOf(call.body.email));
  await offerEmail({ ...changeOf(call), settings, outbox, baseUrl: baseUrl() }, await getSession(call), email);
}

async function remove(call: Call): Promise<void> {
  await confirmByForm(call);
  await removeEmail(changeOf(call), await getSession(call));
}

/** The forms for the user's e-mail address. They are on the profile page. */
export const myEmailPageRoutes: AnyRoute[] = [
  defineRoute({
    ...sending,
    guards: [requireMail, requireAddress, requireOneProof, requireCsrf],
    path: '/authsvc/account/email',
    operationId: 'sendEmailForm',
    summary: 'Submit the form that mails a confirmation link to a new e-mail address',
    body: form(emailForm),
    errors: [...confirmErrors, 'EMAIL_INVALID'],
    ...accountForm({
      view: 'overview',
      done: 'emailOffered',
      work: offer,
      again: (call) => overviewOf(call, { email: textOf(fieldsOf(call.body).email) }),
    }),
  }),
  defineRoute({
    ...sending,
    guards: [requireMail, requireOneProof, requireCsrf],
    path: '/authsvc/account/email/remove',
    operationId: 'sendEmailRemovalForm',
    summary: 'Submit the form that removes the e-mail address',
    body: form(plainForm),
    errors: confirmErrors,
    ...accountForm({ view: 'overview', done: 'emailRemoved', work: remove, again: (call) => overviewOf(call) }),
  }),
];
