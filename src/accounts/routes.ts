import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import type { CookieChange } from '../http/cookies.ts';
import { renderPage } from '../http/page.ts';
import { type AnyRoute, type Call, defineRoute, describeGuard, type Guard } from '../http/route.ts';
import {
  clearEndedSession,
  cookieSecondStepIds,
  cookieSessionIds,
  currentSession,
  isSignedIn,
  requireCsrf,
} from '../sessions/guards.ts';
import type { LimitName } from '../settings/limits.ts';
import { returnAddress } from '../settings/return-address.ts';
import { accountListOf, accountListsOf, rememberedAccounts, requireSomeAccount } from './guards.ts';
import { type CookieIds, logOut, logOutAll } from './log-out.ts';
import { accountsPage, accountsPageData } from './page/accounts/page.ts';
import {
  accountsPageQuery,
  accountsReply,
  doneReply,
  logoutRequest,
  type SwitchRequest,
  switchReply,
  switchRequest,
  toAccountsReply,
} from './schemas.ts';
import { switchAccount } from './switch-account.ts';

/** Each of these routes has a budget of its own, of the same size. */
const limitOf = (name: LimitName) => ({ name, error: 'TOO_MANY_REQUESTS' }) as const;

/** Logging out has a refusal of its own for those who are not signed in. */
const requireSomethingToEnd: Guard = describeGuard('session', async (call) => {
  if (await isSignedIn(call)) return undefined;
  await clearEndedSession(call);
  throw new AppError('NOT_LOGGED_IN');
});

async function showAccounts(call: Call<unknown, { redirect?: unknown }>) {
  const { services, request, reply, query } = call;
  const customURL = returnAddress(query.redirect, services.settings.LOGIN_REDIRECT_URL);
  const csrfToken = services.csrf.tokenFor(request, reply);
  return renderPage(call, accountsPage, accountsPageData(await rememberedAccounts(call), { customURL, csrfToken }));
}

async function switchTo(call: Call<SwitchRequest>) {
  const { services, body } = call;
  const target = { sessionId: body.session_id, device: accountListOf(call), current: await currentSession(call) };
  const { session, cookies } = await switchAccount({ ...services, actor: actorOf(call) }, target);
  services.cookies.apply(call, cookies);
  const redirect = returnAddress(body.redirect, services.settings.LOGIN_REDIRECT_URL);
  return { success: true, username: session.username, fullName: session.fullName, redirect };
}

const cookieIds = (call: Call): CookieIds => ({
  sessionIds: cookieSessionIds(call),
  secondStepIds: cookieSecondStepIds(call),
});

/** What signs a browser in, or could after a second step. */
const clearedSignIn: CookieChange[] = [{ clear: 'secondStep' }, { clear: 'session' }];

async function logout(call: Call) {
  const ended = await logOut({ database: call.services.database, actor: actorOf(call) }, cookieIds(call));
  call.services.cookies.apply(call, clearedSignIn);
  if (ended === 0) throw new AppError('NOT_LOGGED_IN');
  return { success: true, message: 'Logout successful' };
}

async function logoutAll(call: Call) {
  const { services } = call;
  const change = { database: services.database, actor: actorOf(call) };
  await logOutAll(change, { devices: accountListsOf(call), ...cookieIds(call) });
  services.cookies.apply(call, [{ clear: 'accounts' }, ...clearedSignIn]);
  return { success: true, message: 'All accounts have been logged out' };
}

export const accountRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/accounts',
    summary: 'The page for switching between the accounts of this browser',
    kind: 'page',
    access: [requireSomeAccount],
    limit: limitOf('accounts-page'),
    query: accountsPageQuery,
    handle: showAccounts,
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/api/account-sessions',
    summary: 'The accounts of this browser, and which is the current one',
    kind: 'json',
    limit: limitOf('account-sessions'),
    replies: { 200: accountsReply },
    handle: async (call) => toAccountsReply(await rememberedAccounts(call)),
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/switch-session',
    summary: 'Make another account of this browser the current one',
    kind: 'json',
    limit: limitOf('switch-session'),
    body: switchRequest,
    replies: { 200: switchReply },
    errors: ['SWITCH_TARGET_INVALID', 'SESSION_EXPIRED', 'ACCOUNT_NOT_ON_DEVICE'],
    handle: switchTo,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/logout',
    summary: 'End the session of this browser; its other accounts stay',
    kind: 'json',
    guards: [requireSomethingToEnd, requireCsrf],
    limit: { name: 'logout', error: 'TOO_MANY_LOGOUTS' },
    body: logoutRequest,
    replies: { 200: doneReply },
    errors: ['NOT_LOGGED_IN', 'CSRF_INVALID', 'LOGOUT_FAILED'],
    failure: 'LOGOUT_FAILED',
    handle: logout,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/logout-all',
    summary: 'End the sessions of all accounts of this browser',
    kind: 'json',
    limit: limitOf('logout-all'),
    replies: { 200: doneReply },
    handle: logoutAll,
  }),
];
