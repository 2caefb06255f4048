import { returnAddress } from '../applications/return-address.ts';
import { actorOf } from '../http/actor.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, json } from '../http/route.ts';
import { currentSession } from '../sessions/guards.ts';
import type { LimitName } from '../settings/limits.ts';
import { accountListOf, rememberedAccounts, requireSomeAccount } from './guards.ts';
import { accountsPage, accountsPageData } from './page/accounts/page.ts';
import {
  accountsPageQuery,
  accountsReply,
  type SwitchReply,
  type SwitchRequest,
  switchReply,
  switchRequest,
  toAccountsReply,
} from './schemas.ts';
import { switchAccount } from './switch-account.ts';

/** Each of these routes has its own budget, of the same size. */
const limitOf = (name: LimitName) => ({ name, error: 'TOO_MANY_REQUESTS' }) as const;

async function showAccounts(call: Call<unknown, { redirect?: unknown }>) {
  const { services, request, reply, query } = call;
  const customURL = await returnAddress(services, query.redirect);
  const csrfToken = services.csrf.tokenFor(request, reply);
  return renderPage(call, accountsPage, accountsPageData(await rememberedAccounts(call), { customURL, csrfToken }));
}

async function switchTo(call: Call<SwitchRequest>): Promise<SwitchReply> {
  const { services, body } = call;
  const target = { sessionId: body.session_id, device: accountListOf(call), current: await currentSession(call) };
  const { session, cookies } = await switchAccount({ ...services, actor: actorOf(call) }, target);
  services.cookies.apply(call, cookies);
  const redirect = await returnAddress(services, body.redirect);
  return { success: true, username: session.username, fullName: session.fullName, redirect };
}

export const accountRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/accounts',
    operationId: 'showAccountsPage',
    summary: 'The page to switch between the accounts of this browser',
    kind: 'page',
    access: [requireSomeAccount],
    limit: limitOf('accounts-page'),
    query: accountsPageQuery,
    replies: { 200: htmlReply },
    handle: showAccounts,
  }),
  defineRoute({
    method: 'GET',
    path: '/authsvc/api/account-sessions',
    operationId: 'listAccountSessions',
    summary: 'The accounts of this browser, and which is the current one',
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
];
