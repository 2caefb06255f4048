import { emptyReply, htmlReply, redirectReply } from '../http/reply.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { answerProxy } from './guards.ts';
import { readExtended, readForwarded, readOriginalUrl } from './original-request.ts';
import { type ProxyQuery, proxyQuery } from './schemas.ts';

const facts = {
  method: 'GET',
  kind: 'json',
  isVital: true,
  isCheck: true,
  takesAnyMethod: true,
  takesPlainHttp: true,
  replies: {
    200: emptyReply,
    302: redirectReply('The login page, with the original URL as `redirect`'),
    401: htmlReply,
    403: htmlReply,
  },
  errors: [
    'PROXY_NOT_TRUSTED',
    'ORIGINAL_REQUEST_INVALID',
    'APP_UNKNOWN',
    'TOKEN_INVALID',
    'NOT_SIGNED_IN',
    'APP_NOT_ALLOWED',
    'ROLE_NOT_ALLOWED',
    'TOKEN_READ_ONLY',
  ],
  failure: 'OVERLOADED',
} as const;

const listOf = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string');

async function forwardAuth(call: Call<unknown, ProxyQuery>) {
  const { app, role } = call.query;
  const read = () => ({ key: app, original: readForwarded(call.request.raw.rawHeaders) });
  return answerProxy(call, { read, roles: listOf(role), redirectStatus: 302 });
}

async function authRequest(call: Call<unknown, ProxyQuery>) {
  const { app, role } = call.query;
  const read = () => ({ key: app, original: readOriginalUrl(call.request.raw.rawHeaders) });
  return answerProxy(call, { read, roles: listOf(role), redirectStatus: 401 });
}

async function extAuthz(call: Call) {
  const { raw, method, originalUrl: url } = call.request;
  return answerProxy(call, {
    read: () => readExtended(raw.rawHeaders, { method, url }),
    roles: [],
    redirectStatus: 302,
  });
}

/**
 * The routes that a proxy calls before each request to an application. They let the service protect applications
 * that do not know this service.
 */
export const proxyAuthRoutes: AnyRoute[] = [
  defineRoute({
    ...facts,
    path: '/authsvc/api/authz/forward-auth',
    operationId: 'forwardAuth',
    summary: 'Return whether a request to an application may pass, for Caddy and Traefik; accepts any method',
    query: proxyQuery,
    handle: forwardAuth,
  }),
  defineRoute({
    ...facts,
    path: '/authsvc/api/authz/auth-request',
    operationId: 'authRequest',
    summary: 'Return whether a request to an application may pass, for nginx and HAProxy; accepts any method',
    query: proxyQuery,
    handle: authRequest,
  }),
  defineRoute({
    ...facts,
    path: '/authsvc/api/authz/ext-authz/:key',
    operationId: 'extAuthz',
    summary:
      'Return whether a request to an application may pass, for Envoy, which appends the original path after the key of the application; accepts any method',
    handle: extAuthz,
  }),
];
