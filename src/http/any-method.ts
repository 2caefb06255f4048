import type { FastifyReply, FastifyRequest } from 'fastify';
import type { createErrorHandler } from './error-handler.ts';
import { Answer } from './reply.ts';
import type { AnyRoute, Services } from './route.ts';

/** The path of every route with `takesAnyMethod` starts with this prefix. */
const PREFIX = '/authsvc/api/authz/';
const EXTENDED = `${PREFIX}ext-authz/`;

/**
 * Returns the URL that the router uses. The rest of a path after `ext-authz/` belongs to the request that a proxy
 * asks about. It is cut off, because the router may be unable to parse it.
 */
export const routedUrl = (url: string): string => (url.startsWith(EXTENDED) ? `${EXTENDED}:key` : url);

interface Parts {
  services: Services;
  answerError: ReturnType<typeof createErrorHandler>;
}

/**
 * Creates a function that answers a request if it is for a route with `takesAnyMethod`, and returns whether it does.
 */
export function createAnyMethod(routes: readonly AnyRoute[], { services, answerError }: Parts) {
  const rows = new Map(routes.filter((route) => route.takesAnyMethod).map((route) => [route.path, route]));
  const answer = async (route: AnyRoute, request: FastifyRequest, reply: FastifyReply) => {
    const { body, query, params } = request;
    try {
      const result = await route.handle({ request, reply, services, route, body, query, params });
      if (result instanceof Answer) result.sendBy(reply);
      else reply.send(result);
    } catch (error) {
      void answerError(error, request, reply, route);
    }
  };
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    if (!request.url.startsWith(PREFIX)) return false;
    const [path = ''] = request.url.split('?', 1);
    const route = rows.get(path.replace(/\/$/, ''));
    if (!route) return false;
    request.addressPattern = route.path;
    void answer(route, request, reply);
    return true;
  };
}
