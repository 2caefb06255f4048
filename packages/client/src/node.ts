// For Node.js without a framework: `import { protect } from 'authsvc-client/node'`.
import type { Auth, Visitor } from './auth.ts';
import { decide, type NodeResponse, type ProtectOptions, sendRefusal } from './protect.ts';

export type { ProtectOptions } from './protect.ts';

interface NodeRequest {
  method?: string | undefined;
  url?: string | undefined;
  headers: Record<string, string | string[] | undefined>;
  socket: object;
}

/**
 * Returns a function that resolves to the visitor; to null if no one is signed in and `optional` is set; or to undefined
 * after it has sent an error or redirect itself.
 */
export function protect(auth: Auth, options: ProtectOptions = {}) {
  return async (request: NodeRequest, response: NodeResponse): Promise<Visitor | null | undefined> => {
    const { method = 'GET', url = '/', headers, socket } = request;
    const host = headers.host ?? headers[':authority'];
    const scheme = 'encrypted' in socket ? 'https' : 'http';
    const whole = host === undefined || /^https?:/i.test(url) ? url : `${scheme}://${host}${url}`;
    const decision = await decide(auth, { method, headers, url: whole }, options);
    if (!decision.refusal) return decision.visitor ?? null;
    sendRefusal(response, decision.refusal);
    return undefined;
  };
}
