import type { FastifyRequest } from 'fastify';
import type { Actor } from '../events/actor.ts';
import { cleanText } from '../lib/plain-text.ts';
import { clientAddress } from './client-address.ts';
import { traceFields } from './trace-id.ts';

const MAX_USER_AGENT = 255;

/** A user whom a guard has identified. For a session, `ref` is set. For an API token, `tokenId` is set. */
export interface KnownUser {
  readonly userId: number;
  readonly username: string;
  readonly ref?: string;
  readonly tokenId?: number;
  /** The scope of the API token. */
  readonly scope?: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of the request, set once a guard has identified the caller. */
    knownCaller?: KnownUser | 'main_secret';
    /**
     * The sign-in method, set while the request tries to sign in. If the request is refused, the audit log records
     * a refused sign-in.
     */
    signInMethod?: string;
    /**
     * The way to confirm, set while the request tries to confirm a change. If the request is refused, the audit log
     * records a refused confirmation.
     */
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
 * Returns the actor of a request, for events. The actor is the caller that a guard has identified; without one, the
 * actor is anonymous. It includes the client address, user agent and request id.
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
