import type { FastifyRequest } from 'fastify';

const BEARER = /^bearer(?:[ \t]+(.*))?$/i;

/** Returns the bearer credential of a request, or undefined if there is none (RFC 6750 §2.1, RFC 9110 §11.1). */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  const match = headers.authorization === undefined ? null : BEARER.exec(headers.authorization);
  return match ? (match[1] ?? '') : undefined;
}
