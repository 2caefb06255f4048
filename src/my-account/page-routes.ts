import { accountListOf } from '../accounts/guards.ts';
import { AppError } from '../errors/app-error.ts';
import { type ErrorName, errorRegistry } from '../errors/registry.ts';
import { isSecondFactorOn } from '../factors/confirmation.ts';
import { isConfirmed } from '../factors/guards.ts';
import { actorOf } from '../http/actor.ts';
import { askerOf } from '../http/asker.ts';
import { languageOf, renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply, status } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { getSession, requireCsrf } from '../sessions/guards.ts';
import { knownBrowserOf } from '../signin/guards.ts';
import { endCurrent } from '../signin/log-out-guards.ts';
import { changeOwnPassword } from './change-own-password.ts';
import { changeProfile } from './change-profile.ts';
import { confirm } from './confirm.ts';
import { describeAccount, listOwnSessions } from './describe-account.ts';
import { endOtherSessions, endOwnSession } from './end-own-sessions.ts';
import { changeOf, changing, reading } from './guards.ts';
import { listActivity, parseActivityPage } from './list-activity.ts';
import { listConnections } from './list-connections.ts';
import { listOwnTokens } from './list-own-tokens.ts';
import { getOwnUser } from './own-user.ts';
import { type AccountField, type AccountPage, type AccountView, accountPage } from './page/account/page.ts';
import {
  type AccountPageQuery,
  type ActivityQuery,
  accountPageQuery,
  activityQuery,
  type PasswordForm,
  type ProfileForm,
  passwordForm,
  profileForm,
  type SessionsForm,
  sessionsForm,
  toAccountReply,
  toActivityReply,
  toConnectionsReply,
  toSessionsReply,
} from './schemas.ts';

type Refusal = AccountPage['refusal'];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The path of a page after its change was made. */
const donePath = (view: AccountView['view']): string =>
  view === 'overview' ? '/authsvc/account?done=1' : `/authsvc/account/${view}?done=1`;

function show(call: Call, view: AccountView, refusal?: Refusal) {
  const { services, request, reply, query } = call;
  const csrfToken = services.csrf.tokenFor(request, reply);
  const isDone = refusal === undefined && Reflect.get(Object(query), 'done') === '1';
  return renderPage(call, accountPage, { ...view, csrfToken, isDone, refusal });
}

async function overviewOf(call: Call, values?: { full_name: string; image: string }): Promise<AccountView> {
  const { account } = toAccountReply(await describeAccount(call.services, await getSession(call)));
  const canEdit = call.services.settings.PROFILE_EDIT === 'on';
  return {
    view: 'overview',
    account,
    canEdit,
    values: values ?? { full_name: account.full_name, image: account.image },
  };
}

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
  };
}

async function sessionsOf(call: Call): Promise<AccountView> {
  const { sessions } = toSessionsReply(await listOwnSessions(call.services, await getSession(call)));
  return { view: 'sessions', sessions };
}

async function connectionsOf(call: Call): Promise<AccountView> {
  const { database, settings } = call.services;
  const { userId } = await getSession(call);
  return { view: 'connections', ...toConnectionsReply(await listConnections(database, settings, userId)) };
}

async function tokensOf(call: Call): Promise<AccountView> {
  return { view: 'tokens', tokens: await listOwnTokens(call.services, (await getSession(call)).userId) };
}

async function activityOf(call: Call<unknown, ActivityQuery>): Promise<AccountView> {
  const { services, query } = call;
  const { userId } = await getSession(call);
  const page = await listActivity(services.database, { userId, now: services.clock.now() }, parseActivityPage(query));
  return { view: 'activity', ...toActivityReply(languageOf(call), page) };
}

/** The fields that refusals are about, where the refusal does not name one. */
const fieldOfError: { readonly [Name in ErrorName]?: AccountField } = {
  CONFIRMATION_FAILED: 'token',
  CONFIRMATION_REQUIRED: 'token',
  TOO_MANY_CODES: 'token',
};
const fields: readonly string[] = ['full_name', 'image', 'current_password', 'new_password', 'token'];
const isField = (name: string | undefined): name is AccountField => name !== undefined && fields.includes(name);

/** Statuses with which a form comes back; anything else is a page of its own. */
const formStatuses = [400, 403, 409, 429] as const;

/** Does what a form asks for. A refusal is the page again, beside the field that is to blame. */
async function submit(
  call: Call,
  view: AccountView['view'],
  work: () => Promise<unknown>,
  again: () => Promise<AccountView>,
) {
  try {
    await work();
    return redirect(donePath(view));
  } catch (error) {
    const code =
      error instanceof AppError ? formStatuses.find((one) => one === errorRegistry[error.code].status) : undefined;
    if (!(error instanceof AppError) || code === undefined) throw error;
    const { field = fieldOfError[error.code] } = error.parameters;
    if (error.parameters.retryAfterSeconds !== undefined)
      call.reply.header('retry-after', error.parameters.retryAfterSeconds);
    return status(code, show(call, await again(), { field: isField(field) ? field : undefined, code: error.code }));
  }
}

function saveProfile(call: Call<ProfileForm>) {
  const values = { full_name: textOf(call.body.full_name), image: textOf(call.body.image) };
  const { settings } = call.services;
  const change = { fullName: values.full_name, image: values.image };
  return submit(
    call,
    'overview',
    async () => changeProfile({ ...changeOf(call), settings }, await getSession(call), change),
    () => overviewOf(call, values),
  );
}

/** Confirms by the code that the form asks for, where one is due, and changes the password. */
async function changePassword(call: Call<PasswordForm>): Promise<void> {
  const { services, request, body } = call;
  const session = await getSession(call);
  const client = { asker: askerOf(call), browser: knownBrowserOf(call) };
  const asked = await passwordOf(call);
  if (asked.view === 'password' && asked.mustConfirm) throw new AppError('CONFIRMATION_REQUIRED');
  if (asked.view === 'password' && asked.asksForCode) {
    request.confirmationMethod = 'totp';
    await confirm(services, { session, proof: { way: 'totp', text: textOf(body.token) }, client });
  }
  const { cookies } = await changeOwnPassword(
    { ...services, actor: actorOf(call) },
    {
      session,
      currentPassword: textOf(body.current_password),
      newPassword: textOf(body.new_password),
      endsTokens: body.end_tokens === 'true',
      client,
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

const page = { ...reading, kind: 'page', query: accountPageQuery, replies: { 200: htmlReply } } as const;

const sending = {
  ...changing,
  method: 'POST',
  kind: 'page',
  guards: [requireCsrf],
  replies: {
    303: redirectReply('The page again'),
    400: htmlReply,
    403: htmlReply,
    409: htmlReply,
    429: htmlReply,
  },
} as const;

/** The pages of the own account, and their forms. */
export const myAccountPageRoutes: AnyRoute[] = [
  defineRoute({
    ...page,
    path: '/authsvc/account',
    operationId: 'showAccountPage',
    summary: 'The page of the own account: name and picture',
    handle: async (call: Call<unknown, AccountPageQuery>) => show(call, await overviewOf(call)),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account',
    operationId: 'sendProfileForm',
    summary: 'The form of that page',
    body: form(profileForm),
    errors: ['PROFILE_LOCKED', 'FIELD_INVALID'],
    handle: saveProfile,
  }),
  defineRoute({
    ...page,
    path: '/authsvc/account/password',
    operationId: 'showOwnPasswordPage',
    summary: 'The page of the own password',
    handle: async (call: Call<unknown, AccountPageQuery>) => show(call, await passwordOf(call)),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/password',
    operationId: 'sendOwnPasswordForm',
    summary: 'The form of that page',
    limit: { name: 'account-secret', error: 'TOO_MANY_REQUESTS' },
    body: form(passwordForm),
    errors: [
      'CURRENT_PASSWORD_INCORRECT',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_TOO_COMMON',
      'PASSWORD_UNCHANGED',
      'MISSING_REQUIRED_FIELD',
      'CONFIRMATION_REQUIRED',
      'CONFIRMATION_FAILED',
      'TOO_MANY_LOGINS',
      'TOO_MANY_CODES',
    ],
    handle: (call) =>
      submit(
        call,
        'password',
        () => changePassword(call),
        () => passwordOf(call),
      ),
  }),
  defineRoute({
    ...page,
    path: '/authsvc/account/sessions',
    operationId: 'showOwnSessionsPage',
    summary: 'The page of the own sessions',
    handle: async (call: Call<unknown, AccountPageQuery>) => show(call, await sessionsOf(call)),
  }),
  defineRoute({
    ...sending,
    path: '/authsvc/account/sessions',
    operationId: 'sendOwnSessionsForm',
    summary: 'The forms of that page: end one session, or all others',
    body: form(sessionsForm),
    errors: ['REF_UNKNOWN'],
    handle: async (call) => {
      await endSessions(call);
      return redirect(donePath('sessions'));
    },
  }),
  defineRoute({
    ...page,
    path: '/authsvc/account/connections',
    operationId: 'showOwnConnectionsPage',
    summary: 'The page of the own accounts at providers',
    handle: async (call: Call<unknown, AccountPageQuery>) => show(call, await connectionsOf(call)),
  }),
  defineRoute({
    ...page,
    path: '/authsvc/account/tokens',
    operationId: 'showOwnTokensPage',
    summary: 'The page of the own API tokens',
    handle: async (call: Call<unknown, AccountPageQuery>) => show(call, await tokensOf(call)),
  }),
  defineRoute({
    ...page,
    path: '/authsvc/account/activity',
    operationId: 'showOwnActivityPage',
    summary: 'The page of what happened to the own account',
    query: activityQuery,
    errors: ['FIELD_INVALID'],
    handle: async (call) => show(call, await activityOf(call)),
  }),
];
