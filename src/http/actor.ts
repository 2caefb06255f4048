import type { FastifyRequest } from 'fastify';
import type { Actor } from '../events/actor.ts';
import { cleanText } from '../lib/plain-text.ts';
import { clientAddress } from './client-address.ts';
import { traceFields } from './trace-id.ts';

const MAX_USER_AGENT = 255;

/** A user whom a guard has identified: by a session, which has a `ref`, or by an API token, which has a `tokenId`. */
export interface KnownUser {
  readonly userId: number;
  readonly username: string;
  readonly ref?: string;
  readonly tokenId?: number;
  /** Of the token. */
  readonly scope?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request, if a guard has identified the caller. */
    knownCaller?: KnownUser | 'main_secret';
    /** How the request tries to sign in. A refusal is then recorded as one of a sign-in. */
    signInMethod?: string;
    /** How the request tries to confirm a change. A refusal is then recorded as one of a confirmation. */
    confirmationMethod?: string;
  }
}

function identityOf(caller: FastifyRequest['knownCaller']): Actor {
  if (caller === undefined) return { type: 'anonymous' };
  if (caller === 'main_secret') return { type: 'main_secret' };
  const user = { id: caller.userId, name: caller.username };
  if (caller.tokenId !== undefined) {
    return { type: 'token', ...user, ...(caller.scope === undefined ? {} : { tokenScope: caller.scope }) };
  }
  return { type: 'user', ...user, ...(caller.ref === undefined ? {} : { sessionRef: caller.ref }) };
}

/**
 * The actor of a request, for events: the user that a guard has identified, else a stranger, with address, user agent
 * and request id.
 */
export function actorOf({ request }: { request: FastifyRequest }): Actor {
  const { trace_id: traceId } = traceFields(request.headers);
  return {
    ...identityOf(request.knownCaller),
    address: clientAddress(request),
    userAgent: cleanText(request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
    requestId: request.id,
    ...(traceId === undefined ? {} : { traceId }),
    ...(request.headers['accept-language'] ? { language: request.headers['accept-language'].slice(0, 255) } : {}),
  };
}
