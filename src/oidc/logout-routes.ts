import { redirect, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute, form } from '../http/route.ts';
import { endCurrent } from '../signin/log-out-guards.ts';
import { requireOpenIdConnect, visitorOf } from './guards.ts';
import { paths } from './paths.ts';
import { readLogout } from './read-logout.ts';
import * as wire from './schemas.ts';

const SEE_OTHER = 303;
const LOGIN_PAGE = '/authsvc/login';

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * Signs out the user whom the ID token names, and then redirects the browser to the application. If the ID token is
 * missing or is for another user, redirects to the logout page, which asks the user to confirm.
 */
async function logOut(call: Call) {
  const query = queryOf(call.request.url);
  const { sub, target = LOGIN_PAGE } = await readLogout(call.services, new URLSearchParams(query));
  const visitor = await visitorOf(call);
  if (!visitor) return redirect(target, SEE_OTHER);
  if (sub !== visitor.user.sub) {
    const back = target === LOGIN_PAGE ? '' : `?redirect=${encodeURIComponent(`${paths.logout}?${query}`)}`;
    return redirect(`/authsvc/logout${back}`, SEE_OTHER);
  }
  await endCurrent(call);
  return redirect(target, SEE_OTHER);
}

/**
 * Redirects the browser to the same URL with GET. Browsers send no cookies with a form from another site, but they send
 * them with this GET.
 */
async function comeAgain(call: Call<wire.LogoutFields>) {
  const fields = Object.entries(call.body).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return redirect(`${paths.logout}?${new URLSearchParams(fields)}`);
}

const facts = {
  path: paths.logout,
  kind: 'page',
  access: [requireOpenIdConnect],
  limit: { name: 'logout-page', error: 'TOO_MANY_REQUESTS' },
} as const;

/** The routes for a sign-out that an application requests. */
export const oidcLogoutRoutes: AnyRoute[] = [
  defineRoute({
    ...facts,
    method: 'GET',
    operationId: 'logoutByApplication',
    summary: 'Sign a person out on behalf of an application, and redirect back to the application',
    alwaysErrorPage: true,
    replies: { 303: redirectReply('`post_logout_redirect_uri`, or the page that asks whether to sign out') },
    errors: ['OIDC_LOGOUT_INVALID'],
    handle: logOut,
  }),
  defineRoute({
    ...facts,
    method: 'POST',
    operationId: 'logoutByApplicationForm',
    summary: 'Sign a person out on behalf of an application that posts a form; redirects to the GET route',
    takesCrossSite: true,
    body: form(wire.logoutFields),
    replies: { 303: redirectReply('The same address, with the form fields as query parameters') },
    handle: comeAgain,
  }),
];
