import { isOwnOrigin } from '../applications/origins.ts';
import { type AnyRoute, defineRoute, json } from '../http/route.ts';
import { currentSession } from './guards.ts';
import { introspectSession } from './introspect-session.ts';
import { sessionCheck, sessionProof, sessionQuestion, toCheck, toProof } from './schemas.ts';

const fieldErrors = {
  session_id: { missing: 'MISSING_REQUIRED_FIELD', invalid: 'SESSION_INVALID' },
} as const;

export const sessionRoutes: AnyRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/authsvc/api/checkSession',
    operationId: 'checkOwnSession',
    summary: 'Return whether the browser that sends the request is signed in, and until when',
    kind: 'json',
    isVital: true,
    isCheck: true,
    readableBy: isOwnOrigin,
    replies: { 200: sessionCheck },
    handle: async (call) => toCheck(await currentSession(call)),
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/checkSession',
    operationId: 'checkSession',
    summary: 'Return whether the given session is valid, and until when',
    kind: 'json',
    isVital: true,
    isCheck: true,
    limit: { name: 'check-session', error: 'TOO_MANY_REQUESTS' },
    body: json(sessionQuestion),
    fieldErrors,
    replies: { 200: sessionCheck },
    handle: async ({ services, body }) => toCheck(await introspectSession(services, body)),
  }),
  defineRoute({
    method: 'POST',
    path: '/authsvc/api/verifySession',
    operationId: 'verifySession',
    summary: 'Return whether the given session is valid, until when, and which user it belongs to',
    kind: 'json',
    isVital: true,
    isCheck: true,
    body: json(sessionQuestion),
    fieldErrors,
    replies: { 200: sessionProof },
    handle: async ({ services, body }) => toProof(await introspectSession(services, body)),
  }),
];
