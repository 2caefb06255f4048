import { bearerOf } from '../http/bearer.ts';
import { parseForm } from '../http/form.ts';
import { type ForeignHandler, mount, remakeRequest } from '../http/mount.ts';
import { type AnyRoute, type Call, defineRoute } from '../http/route.ts';
import { discoveryOf } from './discovery.ts';
import {
  countedApplication,
  faultOf,
  isPublicOrigin,
  markOffer,
  namedClient,
  requireOpenIdConnect,
  visitOf,
} from './guards.ts';
import { getKeys } from './keys.ts';
import { paths } from './paths.ts';
import * as wire from './schemas.ts';
import { userinfoOf } from './userinfo.ts';

const facts = { kind: 'json', access: [requireOpenIdConnect] } as const;
const forAll = { readableBy: async () => true, readWithoutCookies: true } as const;
const forPublic = { readableBy: isPublicOrigin, readWithoutCookies: true } as const;
const endpoint = { ...facts, method: 'POST', speaksOAuth: true, takesCrossSite: true } as const;
const tokenLimit = {
  limit: { name: 'oidc-token', error: 'TOO_MANY_REQUESTS' },
  limitBy: countedApplication,
} as const;
const replies = { 200: wire.protocolReply, 400: wire.protocolReply, 401: wire.protocolReply };

/** Lets the library answer a request to one of the endpoints for applications. */
async function answerEndpoint(call: Call): Promise<ForeignHandler> {
  const answer = await call.services.openIdConnect.answerer(call.services);
  const visit = { ...visitOf(call), isNameless: namedClient(call) === '', fault: faultOf(call) };
  const { body, request, route } = call;
  const url = route.path;
  return async (_request, response) => {
    await answer(visit)(remakeRequest(request.raw, Buffer.isBuffer(body) ? { url, body } : { url }), response);
    if (visit.refusal !== undefined) throw visit.refusal;
  };
}

async function answerPushed(call: Call): Promise<ForeignHandler> {
  const text = Buffer.isBuffer(call.body) ? call.body.toString() : '';
  const body = parseForm(text) ? Buffer.from(await markOffer(call, text)) : call.body;
  return answerEndpoint({ ...call, body });
}

const showUserinfo = (call: Call) => userinfoOf(call.services, bearerOf(call.request));

async function showKeys({ services, reply }: Call) {
  reply.header('cache-control', 'public, max-age=300');
  return { keys: (await getKeys(services)).map(({ publicJwk }) => publicJwk) };
}

const discovery = (path: string, operationId: string, summary: string): AnyRoute =>
  defineRoute({
    ...facts,
    ...forAll,
    method: 'GET',
    path,
    operationId,
    summary,
    replies: { 200: wire.discoveryReply },
    handle: async ({ services }) => discoveryOf(services.baseUrl()),
  });

const userinfo = (method: 'GET' | 'POST', operationId: string): AnyRoute =>
  defineRoute({
    ...facts,
    ...forPublic,
    method,
    path: paths.userinfo,
    operationId,
    summary: 'Return the claims about the user of an access token, which the Authorization header carries',
    speaksOAuth: true,
    takesCrossSite: true,
    changesNothing: true,
    replies: { 200: wire.claimsReply },
    errors: ['OIDC_TOKEN_INVALID', 'OIDC_SCOPE_MISSING'],
    handle: showUserinfo,
  });

/** The endpoints that applications and their libraries call. */
export const oidcRoutes: AnyRoute[] = [
  discovery(
    '/.well-known/openid-configuration',
    'showOpenIdConfiguration',
    'Return the OpenID Connect metadata of this service (OpenID Connect Discovery 1.0 §4)',
  ),
  discovery(
    '/.well-known/oauth-authorization-server',
    'showOAuthServer',
    'Return the OAuth 2.0 authorization server metadata of this service (RFC 8414)',
  ),
  defineRoute({
    ...facts,
    ...forAll,
    method: 'GET',
    path: paths.jwks,
    operationId: 'showKeys',
    summary: 'Return the public keys to verify ID tokens with',
    replies: { 200: wire.jwksReply },
    handle: showKeys,
  }),
  mount({
    ...endpoint,
    ...tokenLimit,
    path: paths.par,
    operationId: 'pushAuthorizationRequest',
    summary: 'Push an authorization request before the browser is sent to the service (RFC 9126)',
    replies: { ...replies, 201: wire.protocolReply },
    serve: answerPushed,
  }),
  mount({
    ...endpoint,
    ...tokenLimit,
    ...forPublic,
    path: paths.token,
    operationId: 'getTokens',
    summary: 'Exchange a code or a refresh token for tokens, or issue a token for the application itself',
    replies,
    serve: answerEndpoint,
  }),
  mount({
    ...endpoint,
    ...tokenLimit,
    path: paths.introspect,
    operationId: 'introspectToken',
    summary: 'Return whether a token is active, and what it allows (RFC 7662)',
    replies,
    serve: answerEndpoint,
  }),
  mount({
    ...endpoint,
    ...tokenLimit,
    ...forPublic,
    path: paths.revoke,
    operationId: 'revokeGrantToken',
    summary: 'Revoke a token and the other tokens of the same grant (RFC 7009)',
    replies,
    serve: answerEndpoint,
  }),
  mount({
    ...endpoint,
    ...forPublic,
    limit: { name: 'oidc-device', error: 'TOO_MANY_REQUESTS' },
    limitBy: countedApplication,
    path: paths.deviceAuthorization,
    operationId: 'startDeviceFlow',
    summary: 'Start a device authorization: return the code that a person enters in a browser (RFC 8628)',
    replies,
    serve: answerEndpoint,
  }),
  userinfo('GET', 'showUserinfo'),
  userinfo('POST', 'showUserinfoByPost'),
];
