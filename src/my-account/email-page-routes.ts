import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession } from '../sessions/guards.ts';
import { requireEmail } from '../users/email.ts';
import { requireMail } from '../welcome/guards.ts';
import { offerEmail, removeEmail } from '../welcome/offer-email.ts';
import { confirmByForm, confirmErrors, sendForm, sending, textOf } from './form-guards.ts';
import { type EmailForm, emailForm, plainForm } from './form-schemas.ts';
import { changeOf } from './guards.ts';
import { overviewOf } from './page-routes.ts';

const guards = [requireMail, ...sending.guards];

function sendEmail(call: Call<EmailForm>) {
  const typed = textOf(call.body.email);
  return sendForm(call, {
    view: 'overview',
    done: 'emailOffered',
    work: async () => {
      const email = requireEmail(typed);
      await confirmByForm(call);
      const { settings, outbox, baseUrl } = call.services;
      await offerEmail({ ...changeOf(call), settings, outbox, baseUrl: baseUrl() }, await getSession(call), email);
    },
    again: () => overviewOf(call, { email: typed }),
  });
}

/** The forms for the own e-mail address, on the page of the profile. */
export const myEmailPageRoutes: AnyRoute[] = [
  defineRoute({
    ...sending,
    guards,
    path: '/authsvc/account/email',
    operationId: 'sendEmailForm',
    summary: 'The form of the profile that mails a link to a new address',
    body: form(emailForm),
    errors: [...confirmErrors, 'EMAIL_INVALID'],
    handle: sendEmail,
  }),
  defineRoute({
    ...sending,
    guards,
    path: '/authsvc/account/email/remove',
    operationId: 'sendEmailRemovalForm',
    summary: 'The form of the profile that removes the address',
    body: form(plainForm),
    errors: confirmErrors,
    handle: (call) =>
      sendForm(call, {
        view: 'overview',
        done: 'emailRemoved',
        work: async () => {
          await confirmByForm(call);
          await removeEmail(changeOf(call), await getSession(call));
        },
        again: () => overviewOf(call),
      }),
  }),
];
