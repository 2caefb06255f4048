// For Fastify 4 and 5: `import { protect } from 'authsvc-client/fastify'`.
import type { FastifyRequest } from 'fastify';
import type { Auth, Visitor } from './auth.ts';
import { decide, type ProtectOptions } from './protect.ts';

export type { ProtectOptions } from './protect.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined only with the option `optional`, if no one is signed in. */
    visitor?: Visitor | undefined;
  }
}

interface Request extends Pick<FastifyRequest, 'method' | 'originalUrl' | 'protocol' | 'visitor'> {
  headers: Record<string, string | string[] | undefined>;
}

interface Reply {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: string): unknown;
}

/** Returns the `onRequest` hook. It sets `request.visitor`, or sends an error or redirect. */
export function protect(auth: Auth, options: ProtectOptions = {}) {
  return async (request: Request, reply: Reply): Promise<unknown> => {
    const { method, originalUrl, protocol, headers } = request;
    const url = headers.host === undefined ? originalUrl : `${protocol}://${headers.host}${originalUrl}`;
    const decision = await decide(auth, { method, headers, url }, options);
    if (!decision.refusal) {
      request.visitor = decision.visitor;
      return undefined;
    }
    const { status, headers: values, body } = decision.refusal;
    reply.code(status);
    reply.headers(values);
    reply.send(body);
    return reply;
  };
}
