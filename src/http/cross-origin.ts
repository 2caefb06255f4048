import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from './route.ts';

/** Whether pages of another origin may read a reply with the cookies of the visitor. */
export type ReadableBy = (services: Services, origin: string) => Promise<boolean>;

/**
 * Tells the browser that the other origin may read the reply, if the origin of the request may.
 *
 * @returns the origin that may; undefined if the request names no origin or one that may not
 * @see Fetch §3.2 (CORS protocol)
 */
export async function allowOrigin(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, readableBy }: { services: Services; readableBy: ReadableBy },
): Promise<string | undefined> {
  reply.header('vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !(await readableBy(services, origin))) return undefined;
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' });
  return origin;
}

/** Answers the preflight request of a browser before a GET from another origin. */
export async function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: { services: Services; readableBy: ReadableBy; allow: string },
): Promise<void> {
  if (await allowOrigin(request, reply, parts)) reply.header('access-control-allow-methods', 'GET, HEAD');
  reply.code(204).header('allow', parts.allow).send();
}
