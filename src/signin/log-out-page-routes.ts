import { endOfWay, returnAddress } from '../applications/return-address.ts';
import type { Guard } from '../http/guard.ts';
import { renderPage } from '../http/page.ts';
import { htmlReply, redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { formHeaders } from '../http/security-headers.ts';
import { currentSession, isSignedIn, requireCsrf } from '../sessions/guards.ts';
import { type Refusal, refusalOf } from '../ui/refusal.ts';
import { endAll, endCurrent } from './log-out-guards.ts';
import { logoutPage } from './page/logout/page.ts';
import { type LogoutForm, type LogoutPageQuery, logoutForm, logoutPageQuery } from './schemas.ts';

const LOGIN_PAGE = '/authsvc/login';

/** Returns where the browser goes after a sign-out: the URL of an application, or a path on this host. */
const wayOn = (call: Call, asked: unknown): Promise<string> => returnAddress(call.services, asked, LOGIN_PAGE);

/**
 * Checks the CSRF token only if the browser has a current session. Without one, the token is not checked, so that a form
 * that is submitted twice works.
 */
const requireCsrfOfPerson: Guard = {
  ...requireCsrf,
  name: 'CSRF token, if someone is signed in',
  check: async (call) => ((await isSignedIn(call)) ? requireCsrf.check(call) : undefined),
};

async function showLogoutPage(call: Call, asked: unknown, refusal?: Refusal) {
  const { services, request, reply } = call;
  const target = await wayOn(call, asked);
  const person = await currentSession(call);
  if (!person) return redirect(target);
  const isAsked = target !== LOGIN_PAGE;
  const csrfToken = services.csrf.tokenFor(request, reply);
  reply.headers(formHeaders(services.settings, await endOfWay(services, target)));
  return renderPage(call, logoutPage, {
    csrfToken,
    redirect: isAsked ? target : '',
    stayURL: isAsked ? target : services.settings.LOGIN_REDIRECT_URL,
    username: person.username,
    fullName: person.fullName,
    hasImage: person.image !== '',
    refusal,
  });
}

async function logOutByForm(call: Call<LogoutForm>) {
  const target = await wayOn(call, call.body.redirect);
  await (call.body.accounts === 'all' ? endAll(call) : endCurrent(call));
  return redirect(target);
}

/** The routes of the sign-out page, which works without scripts. */
export const logOutPageRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/logout',
    operationId: 'showLogoutPage',
    summary: 'Show the page that asks whether to sign out; if no one is signed in, redirect at once',
    kind: 'page',
    limit: { name: 'logout-page', error: 'TOO_MANY_REQUESTS' },
    query: logoutPageQuery,
    replies: { 200: htmlReply, 302: redirectReply('`redirect`, or the login page') },
    handle: (call: Call<unknown, LogoutPageQuery>) => showLogoutPage(call, call.query.redirect),
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/logout',
    operationId: 'logoutByForm',
    summary:
      'End the current session of this browser, or the sessions of all its accounts, and redirect to `redirect` or the login page',
    kind: 'page',
    guards: [requireCsrfOfPerson],
    limit: { name: 'logout', error: 'TOO_MANY_LOGOUTS' },
    body: form(logoutForm),
    replies: { 303: redirectReply('`redirect`, or the login page'), 403: htmlReply, 429: htmlReply },
    failure: 'LOGOUT_FAILED',
    handle: logOutByForm,
    showRefusal: (call, error) => showLogoutPage(call, Reflect.get(Object(call.body), 'redirect'), refusalOf(error)),
  }),
];
