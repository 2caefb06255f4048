// For Express 4 and 5: `import { protect } from 'authsvc-client/express'`.
import type { Auth, Visitor } from './auth.ts';
import { decide, type NodeResponse, type ProtectOptions, sendRefusal } from './protect.ts';

export type { ProtectOptions } from './protect.ts';

declare global {
  namespace Express {
    interface Request {
      /** Undefined only with the option `optional`, if no one is signed in. */
      visitor?: Visitor | undefined;
    }
  }
}

interface ExpressRequest {
  method: string;
  originalUrl: string;
  protocol: string;
  headers: Record<string, string | string[] | undefined>;
  visitor?: Visitor | undefined;
}

/** Returns the middleware. It sets `request.visitor`, or sends an error or redirect. */
export function protect(auth: Auth, options: ProtectOptions = {}) {
  return (request: ExpressRequest, response: NodeResponse, next: (error?: unknown) => void): void => {
    const { method, originalUrl, protocol, headers } = request;
    const url = headers.host === undefined ? originalUrl : `${protocol}://${headers.host}${originalUrl}`;
    decide(auth, { method, headers, url }, options).then((decision) => {
      if (decision.refusal) return sendRefusal(response, decision.refusal);
      request.visitor = decision.visitor;
      return next();
    }, next);
  };
}
