import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from './route.ts';

/** Whether pages of another origin may read a reply, as the person who is signed in here. */
export type ReadableBy = (services: Services, origin: string) => Promise<boolean>;

/**
 * Tells the browser which other origin may read the reply, if the request came from one that may.
 *
 * @returns the origin that may; undefined if the request names none, or another one
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

/** Answers a browser that asks, before it sends a GET of another origin, whether it may. */
export async function answerPreflight(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: { services: Services; readableBy: ReadableBy; allow: string },
): Promise<void> {
  if (await allowOrigin(request, reply, parts)) reply.header('access-control-allow-methods', 'GET, HEAD');
  reply.code(204).header('allow', parts.allow).send();
}
