import { accountListOf } from '../accounts/guards.ts';
import { findRegistry, nameApplications } from '../applications/registry.ts';
import { isSecondFactorOn } from '../factors/confirmation.ts';
import { isConfirmed } from '../factors/guards.ts';
import { actorOf } from '../http/actor.ts';
import { askerOf } from '../http/asker.ts';
import { languageOf } from '../http/page.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { knownBrowserOf } from '../signin/guards.ts';
import { endCurrent } from '../signin/log-out-guards.ts';
import { changeOwnPassword } from './change-own-password.ts';
import { changeProfile } from './change-profile.ts';
import { describeAccount, listOwnSessions } from './describe-account.ts';
import { endOtherSessions, endOwnSession } from './end-own-sessions.ts';
import {
  accountForm,
  confirmByForm,
  confirmErrors,
  page,
  requireProofInput,
  sending,
  showAccountPage,
  textOf,
} from './form-guards.ts';
import {
  type AccountPageQuery,
  type PasswordForm,
  type ProfileForm,
  passwordForm,
  profileForm,
  type SessionsForm,
  sessionsForm,
} from './form-schemas.ts';
import { activityWords, changeOf, fieldsOf, requireProfile } from './guards.ts';
import { listActivity, parseActivityPage } from './list-activity.ts';
import { listOwnTokens } from './list-own-tokens.ts';
import { getOwnUser } from './own-user.ts';
import type { AccountView } from './page/account/page.ts';
import { requireNewPassword } from './password-routes.ts';
import { type ActivityQuery, activityQuery, toAccountReply, toActivityReply, toSessionsReply } from './schemas.ts';

/**
 * Returns the data of the profile page.
 *
 * @param values field values of a refused form, which the page shows again
 */
export async function overviewOf(
  call: Call,
  values: Partial<Record<'full_name' | 'image' | 'email', string>> = {},
): Promise<AccountView> {
  const { services } = call;
  const { settings, browserNames } = services;
  const { account } = toAccountReply(await describeAccount(services, await getSession(call)), browserNames);
  return {
    view: 'overview',
    account,
    apps: nameApplications(await findRegistry(services), account.allowed_apps),
    canEdit: settings.PROFILE_EDIT === 'on',
    hasMail: settings.SMTP_URL !== undefined,
    values: { full_name: account.full_name, image: account.image, email: '', ...values },
  };
}

/** Fewer events than the JSON route returns, because people read this page. */
const EVENTS_ON_PAGE = 25;

async function passwordOf(call: Call): Promise<AccountView> {
  const { services } = call;
  const session = await getSession(call);
  const user = await getOwnUser(services.database, session);
  const isOn = isSecondFactorOn(services.settings, user);
  const isUnconfirmed = (isOn || !user.hasPassword) && !(await isConfirmed(services, session));
  return {
    view: 'password',
    username: user.username,
    hasPassword: user.hasPassword,
    asksForCode: isOn && isUnconfirmed,
    mustConfirm: !isOn && isUnconfirmed,
    tokenCount: (await listOwnTokens(services, user.id)).length,
    endsTokens: fieldsOf(call.body).end_tokens === 'true',
  };
}

async function sessionsOf(call: Call): Promise<AccountView> {
  const { services } = call;
  const { sessions } = toSessionsReply(await listOwnSessions(services, await getSession(call)), services.browserNames);
  return { view: 'sessions', sessions };
}

async function activityOf(call: Call<unknown, ActivityQuery>): Promise<AccountView> {
  const { services, query } = call;
  const { userId } = await getSession(call);
  const wanted = parseActivityPage({ ...query, limit: query.limit ?? String(EVENTS_ON_PAGE) });
  const page = await listActivity(services.database, { userId, now: services.clock.now() }, wanted);
  return { view: 'activity', ...toActivityReply(languageOf(call), page, await activityWords(call)) };
}

async function saveProfile(call: Call<ProfileForm>): Promise<void> {
  const { settings } = call.services;
  const change = { fullName: textOf(call.body.full_name), image: textOf(call.body.image) };
  await changeProfile({ ...changeOf(call), settings }, await getSession(call), change);
}

/** Returns the profile page with the values that the user sent. */
function profileAgain(call: Call): Promise<AccountView> {
  const { full_name: fullName, image } = fieldsOf(call.body);
  return overviewOf(call, { full_name: textOf(fullName), image: textOf(image) });
}

/** Changes the password. If the user has a second factor or no password, the session must also be confirmed. */
async function changePassword(call: Call<PasswordForm>): Promise<void> {
  const { services, body } = call;
  const session = await getSession(call);
  const user = await getOwnUser(services.database, session);
  if (!user.hasPassword || isSecondFactorOn(services.settings, user)) await confirmByForm(call);
  const { cookies } = await changeOwnPassword(
    { ...services, actor: actorOf(call) },
    {
      session,
      currentPassword: textOf(body.current_password),
      newPassword: textOf(body.new_password),
      endsTokens: body.end_tokens === 'true',
      client: { asker: askerOf(call), browser: knownBrowserOf(call) },
      device: accountListOf(call),
    },
  );
  services.cookies.apply(call, cookies);
}

async function endSessions(call: Call<SessionsForm>): Promise<void> {
  const session = await getSession(call);
  if (call.body.others === 'true') await endOtherSessions(changeOf(call), session);
  else if (call.body.ref === session.ref) await endCurrent(call);
  else await endOwnSession(changeOf(call), session, textOf(call.body.ref));
}

/** The pages of the user's account, and their forms. */
export const myAccountPageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    path: '/authsvc/account',
    operationId: 'showAccountPage',
    summary: 'Show your own account: name, picture and e-mail address',
    handle: async (call: Call<unknown, AccountPageQuery>) => showAccountPage(call, await overviewOf(call)),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account',
    operationId: 'sendProfileForm',
    summary: 'Submit the form that changes your name or picture',
    guards: [requireProfile, requireCsrf],
    body: form(profileForm),
    errors: ['PROFILE_LOCKED'],
    ...accountForm({ view: 'overview', done: 'saved', work: saveProfile, again: profileAgain }),
  }),
  defineRoute({
    ...page,
    path: '/authsvc/account/password',
    operationId: 'showOwnPasswordPage',
    summary: 'Show the page for changing your own password',
    handle: async (call: Call<unknown, AccountPageQuery>) => showAccountPage(call, await passwordOf(call)),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/password',
    operationId: 'sendOwnPasswordForm',
    summary: 'Submit the form that changes your password',
    limit: { name: 'account-secret', error: 'TOO_MANY_REQUESTS' },
    guards: [requireNewPassword, requireCsrf],
    body: form(passwordForm),
    errors: ['CURRENT_PASSWORD_INCORRECT', 'PASSWORD_UNCHANGED', ...confirmErrors],
    checkInput: requireProofInput,
    ...accountForm({
      view: 'password',
      done: 'passwordChanged',
      asksForProof: true,
      work: changePassword,
      again: passwordOf,
    }),
  }),
  defineRoute({
    ...page,
    path: '/authsvc/account/sessions',
    operationId: 'showOwnSessionsPage',
    summary: 'Show your own sessions',
    handle: async (call: Call<unknown, AccountPageQuery>) => showAccountPage(call, await sessionsOf(call)),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/sessions',
    operationId: 'sendOwnSessionsForm',
    summary: 'Submit the form that ends one of your sessions, or all except this one',
    body: form(sessionsForm),
    errors: ['REF_UNKNOWN'],
    ...accountForm({
      view: 'sessions',
      done: ({ body }: Call<SessionsForm>) => (body.others === 'true' ? 'sessionsEnded' : 'sessionEnded'),
      work: endSessions,
      again: sessionsOf,
    }),
  }),
  defineRoute({
    ...page,
    path: '/authsvc/account/activity',
    operationId: 'showOwnActivityPage',
    summary: 'Show what happened to your own account',
    query: activityQuery,
    errors: ['FIELD_INVALID'],
    handle: async (call) => showAccountPage(call, await activityOf(call)),
  }),
];
