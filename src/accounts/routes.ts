import { goOn } from '../applications/go-on.ts';
import { returnAddress } from '../applications/return-address.ts';
import { AppError } from '../errors/app-error.ts';
import { actorOf } from '../http/actor.ts';
import type { Guard } from '../http/guard.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form, json } from '../http/route.ts';
import { isUuid } from '../lib/random.ts';
import { currentSession, requireCsrf } from '../sessions/guards.ts';
import type { LimitName } from '../settings/limits.ts';
import { type Refusal, refusalOf } from '../ui/refusal.ts';
import { accountListOf, rememberedAccounts, requireSomeAccount } from './guards.ts';
import { accountsPage, accountsPageData } from './page/accounts/page.ts';
import {
  accountsPageQuery,
  accountsReply,
  type SwitchForm,
  type SwitchReply,
  type SwitchRequest,
  switchForm,
  switchReply,
  switchRequest,
  toAccountsReply,
} from './schemas.ts';
import { switchAccount } from './switch-account.ts';

/** Returns the rate limit of one route. The two routes that switch the account share a limit. */
const limitOf = (name: LimitName) => ({ name, error: 'TOO_MANY_REQUESTS' }) as const;

async function showAccounts(call: Call, asked: unknown, refusal?: Refusal) {
  const { services, request, reply } = call;
  const customURL = await returnAddress(services, asked);
  const csrfToken = services.csrf.tokenFor(request, reply);
  const facts = { customURL, csrfToken, refusal };
  return renderPage(call, accountsPage, accountsPageData(await rememberedAccounts(call), facts));
}

async function switchFor(call: Call, asked: SwitchRequest) {
  const { services } = call;
  const target = { sessionId: asked.session_id, device: accountListOf(call), current: await currentSession(call) };
  const { session, cookies } = await switchAccount({ ...services, actor: actorOf(call) }, target);
  services.cookies.apply(call, cookies);
  return { session, redirect: await returnAddress(services, asked.redirect) };
}

async function switchTo(call: Call<SwitchRequest>): Promise<SwitchReply> {
  const { session, redirect } = await switchFor(call, call.body);
  return { success: true, username: session.username, fullName: session.fullName, redirect };
}

/** Refuses a malformed session id before the CSRF token is checked. */
const requireSessionId: Guard = {
  name: 'well-formed session id',
  errors: ['SWITCH_TARGET_INVALID'],
  check: ({ body }) => {
    const id: unknown = Reflect.get(Object(body), 'session_id');
    if (typeof id === 'string' && isUuid(id)) return undefined;
    throw new AppError('SWITCH_TARGET_INVALID', { field: 'session_id' });
  },
};

export const accountRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/accounts',
    operationId: 'showAccountsPage',
    summary: 'Show the accounts that are signed in in this browser, to switch between them',
    kind: 'page',
    access: [requireSomeAccount],
    limit: limitOf('accounts-page'),
    query: accountsPageQuery,
    replies: { 200: htmlReply },
    handle: (call) => showAccounts(call, call.query.redirect),
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/api/account-sessions',
    operationId: 'listAccountSessions',
    summary: 'List the accounts that are signed in in this browser, and which one is current',
    kind: 'json',
    limit: limitOf('account-sessions'),
    replies: { 200: accountsReply },
    handle: async (call) => toAccountsReply(await rememberedAccounts(call)),
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/switch-session',
    operationId: 'switchSession',
    summary: 'Make another account of this browser the current one',
    kind: 'json',
    limit: limitOf('switch-session'),
    body: json(switchRequest),
    replies: { 200: switchReply },
    errors: ['SWITCH_TARGET_INVALID', 'SESSION_EXPIRED', 'ACCOUNT_NOT_ON_DEVICE'],
    handle: switchTo,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/accounts',
    operationId: 'sendSwitchForm',
    summary: 'Submit the form of the accounts page: make another account the current one',
    kind: 'page',
    access: [requireSomeAccount],
    guards: [requireSessionId, requireCsrf],
    limit: limitOf('switch-session'),
    body: form(switchForm),
    replies: { 303: redirectReply('`redirect`'), 400: htmlReply, 401: htmlReply, 403: htmlReply, 429: htmlReply },
    errors: ['SESSION_EXPIRED', 'ACCOUNT_NOT_ON_DEVICE'],
    handle: async (call: Call<SwitchForm>) => goOn((await switchFor(call, call.body)).redirect),
    showRefusal: (call, error) => showAccounts(call, Reflect.get(Object(call.body), 'redirect'), refusalOf(error)),
  }),
];
