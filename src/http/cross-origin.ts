import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from './route.ts';

/** Whether pages of another origin may read a reply with the cookies of the visitor. */
export type ReadableBy = (services: Services, origin: string) => Promise<boolean>;

/** Which pages may read a reply, and whether as the person who is signed in. */
interface Sharing {
  services: Services;
  readableBy?: ReadableBy | undefined;
  readWithoutCookies?: true | undefined;
}

/**
 * Tells the browser that the other origin may read the reply, if the origin of the request may.
 *
 * @returns the origin that may; undefined if the request names no origin or one that may not
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

/** Answers the preflight request of a browser before a request from another origin. */
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
