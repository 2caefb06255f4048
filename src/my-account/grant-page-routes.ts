import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { listGrants, toListedGrant } from '../oidc/list-grants.ts';
import { withdrawGrant } from '../oidc/withdraw-grant.ts';
import { getSession } from '../sessions/guards.ts';
import { accountForm, page, sending, showAccountPage, textOf } from './form-guards.ts';
import { type RefForm, refForm } from './form-schemas.ts';
import { changeOf } from './guards.ts';
import type { AccountView } from './page/account/page.ts';

async function grantsOf(call: Call): Promise<AccountView> {
  const { database, clock } = call.services;
  const { userId } = await getSession(call);
  const grants = await listGrants(database, { userId }, clock.now());
  return { view: 'grants', grants: grants.map(toListedGrant) };
}

async function withdraw(call: Call<RefForm>): Promise<void> {
  const { userId } = await getSession(call);
  await withdrawGrant({ ...call.services, ...changeOf(call) }, textOf(call.body.ref), userId);
}

/** The page of the applications that have access to the user's account, and its form. */
export const myGrantPageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    path: '/authsvc/account/grants',
    operationId: 'showOwnGrantsPage',
    summary: 'Show the applications that you signed in to with OpenID Connect',
    handle: async (call) => showAccountPage(call, await grantsOf(call)),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/grants',
    operationId: 'sendGrantForm',
    summary: 'Submit the form that ends a listed access of an application to your account',
    body: form(refForm),
    errors: ['REF_UNKNOWN'],
    ...accountForm({ view: 'grants', done: 'grantWithdrawn', work: withdraw, again: grantsOf }),
  }),
];
