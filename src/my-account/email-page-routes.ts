import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession } from '../sessions/guards.ts';
import { requireEmail } from '../users/email.ts';
import { requireMail } from '../welcome/guards.ts';
import { offerEmail, removeEmail } from '../welcome/offer-email.ts';
import { accountForm, confirmByForm, confirmErrors, requireProofInput, sending, textOf } from './form-guards.ts';
import { type EmailForm, emailForm, plainForm } from './form-schemas.ts';
import { changeOf, fieldsOf } from './guards.ts';
import { overviewOf } from './page-routes.ts';

const access = [...sending.access, requireMail];

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

/** The forms for the own e-mail address, on the page of the profile. */
export const myEmailPageRoutes: AnyRoute[] = [
  defineRoute({
    ...sending,
    access,
    path: '/authsvc/account/email',
    operationId: 'sendEmailForm',
    summary: 'The form of the profile that mails a link to a new address',
    body: form(emailForm),
    errors: [...confirmErrors, 'EMAIL_INVALID'],
    checkInput: (call) => {
      requireEmail(textOf(call.body.email));
      requireProofInput(call);
    },
    ...accountForm({
      view: 'overview',
      done: 'emailOffered',
      work: offer,
      again: (call) => overviewOf(call, { email: textOf(fieldsOf(call.body).email) }),
    }),
  }),
  defineRoute({
    ...sending,
    access,
    path: '/authsvc/account/email/remove',
    operationId: 'sendEmailRemovalForm',
    summary: 'The form of the profile that removes the address',
    body: form(plainForm),
    errors: confirmErrors,
    checkInput: requireProofInput,
    ...accountForm({ view: 'overview', done: 'emailRemoved', work: remove, again: (call) => overviewOf(call) }),
  }),
];
