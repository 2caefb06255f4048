import { audit } from '../http/audit.ts';
import { renderPage } from '../http/page.ts';
import { type AnyRoute, type Call, defineRoute, type Gate } from '../http/route.ts';
import { safeRedirect } from '../kit/safe-redirect.ts';
import { currentSession, isSignedIn, requireCsrf } from '../sessions/gates.ts';
import { giveSession, rememberMethod } from '../sessions/session-cookie.ts';
import { loginPage } from './page.ts';
import { signIn } from './sign-in.ts';
import { verifyPassword } from './verify-password.ts';
import { type LoginRequest, loginPageQuery, loginReply, loginRequest } from './wire.ts';

/** Pages that sign somebody in are no places to return to afterwards. */
const SIGN_IN_PAGES = /^\/(login|signin|authsvc\/(login|2fa))\/?([?#]|$)/;

function returnAddress(asked: unknown, fallback: string): string {
  const target = safeRedirect(asked, fallback);
  return SIGN_IN_PAGES.test(target) ? fallback : target;
}

/** The login form may be sent without a token, for the cross-site check stands in; a token that is sent must be right. */
const checkCsrfIfSent: Gate = (call) => {
  const { body } = call;
  const isSent = typeof body === 'object' && body !== null && '_csrf' in body && body._csrf !== undefined;
  return isSent ? requireCsrf(call) : undefined;
};

async function login(call: Call<LoginRequest>) {
  const { services, request, body } = call;
  const user = await verifyPassword(services, body);
  const device = {
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
    sessionBefore: (await currentSession(call))?.id,
  };
  giveSession(call, await signIn(services, user, device));
  rememberMethod(call, 'password');
  audit(call, 'sign-in', { userId: user.id, method: 'password' });
  return { success: true, message: 'Login successful' };
}

async function showLoginPage(call: Call<unknown, { redirect?: unknown }>) {
  const { services, request, reply, query } = call;
  const { settings, cookies, csrf } = services;
  const [lastMethod] = cookies.read(request, 'lastLoginMethod');
  const facts = {
    codehostLoginEnabled: settings.CODEHOST_LOGIN_ENABLED,
    webssoLoginEnabled: settings.WEBSSO_LOGIN_ENABLED,
    customURL: returnAddress(query.redirect, settings.LOGIN_REDIRECT_URL),
    username: (await currentSession(call))?.username,
    csrfToken: csrf.tokenFor(request, reply),
    lastMethod,
  };
  return renderPage(call, 'login', loginPage(facts));
}

const shortAddress = (path: string): AnyRoute =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'The login page under a short address; query parameters go along',
    kind: 'page',
    handle: async ({ request, reply }) => {
      const at = request.url.indexOf('?');
      return reply.redirect(`/authsvc/login${at < 0 ? '' : request.url.slice(at)}`, 302);
    },
  });

export const signinRoutes: AnyRoute[] = [
  shortAddress('/login'),
  shortAddress('/signin'),
  defineRoute({
    method: 'GET',
    path: '/authsvc/login',
    summary: 'The login page',
    kind: 'page',
    limit: { name: 'login-page', points: 8, windowSeconds: 60, error: 'TOO_MANY_REQUESTS' },
    isExempt: isSignedIn,
    query: loginPageQuery,
    handle: showLoginPage,
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/login',
    summary: 'Sign in with username and password',
    kind: 'json',
    gates: [checkCsrfIfSent],
    limit: { name: 'login', points: 8, windowSeconds: 60, error: 'TOO_MANY_LOGINS' },
    body: loginRequest,
    fieldErrors: {
      username: { missing: 'CREDENTIALS_REQUIRED', invalid: 'USERNAME_INVALID' },
      password: { missing: 'CREDENTIALS_REQUIRED', invalid: 'PASSWORD_TOO_SHORT' },
    },
    replies: { 200: loginReply },
    errors: [
      'CREDENTIALS_REQUIRED',
      'USERNAME_INVALID',
      'PASSWORD_TOO_SHORT',
      'PASSWORD_TOO_LONG',
      'PASSWORD_INCORRECT',
      'USER_UNKNOWN',
      'ACCOUNT_INACTIVE',
      'APP_NOT_ALLOWED',
      'LOGIN_FAILED',
    ],
    failure: 'LOGIN_FAILED',
    handle: login,
  }),
];
