import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from './route.ts';

/** Returns whether pages of another origin may read the replies of a route. */
export type ReadableBy = (services: Services, origin: string) => Promise<boolean>;

/** Which origins may read a reply, and whether their requests carry the visitor's cookies. */
interface Sharing {
  services: Services;
  readableBy?: ReadableBy | undefined;
  readWithoutCookies?: true | undefined;
}

/**
 * Sets the CORS headers, if the origin of the request may read the reply.
 *
 * @returns the origin if it may read the reply; undefined if it may not, or if the request has no Origin header
 * @see Fetch §3.2 (CORS protocol)
 */
export async function allowOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, readableBy, readWithoutCookies }: Sharing,
): Promise<string | undefined> {
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !(await readableBy?.(services, origin))) return undefined;
  reply.header('access-control-allow-origin', origin);
  if (!readWithoutCookies) reply.header('access-control-allow-credentials', 'true');
  return origin;
}

/** Answers a preflight request, which a browser sends before a request to another origin. */
export async function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Sharing & { allow: string },
): Promise<void> {
  if (await allowOrigin(request, reply, parts)) {
    const { readWithoutCookies, allow } = parts;
    reply.header('access-control-allow-methods', readWithoutCookies ? allow : 'GET, HEAD');
    if (readWithoutCookies) reply.header('access-control-allow-headers', 'Authorization, Content-Type');
  }
  reply.code(204).header('allow', parts.allow).send();
}
