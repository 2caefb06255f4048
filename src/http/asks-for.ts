// Whether the client of a request prefers a page or JSON.
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { bearerOf } from './bearer.ts';
import type { AnyRoute } from './route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

/** The type that the client prefers; of equal ones, the one that is first here (RFC 9110 §12.5.1). */
const preferred = ({ headers }: FastifyRequest, types: string[]): string | undefined =>
  new Negotiator({ headers }).mediaType(types);

/** Whether the client prefers a page to JSON. A client without a preference gets JSON. */
export const prefersHtml = (request: FastifyRequest): boolean =>
  preferred(request, [JSON_TYPE, HTML_TYPE]) === HTML_TYPE;

/** The media type that the client likes best among those that are JSON by their suffix (RFC 6839 §3.1). */
const kindOfJson = ({ headers }: FastifyRequest): string[] =>
  new Negotiator({ headers })
    .mediaTypes()
    .filter((type) => type.endsWith('+json'))
    .slice(0, 1);

/** Whether a program requests a page: it prefers JSON, or sends a bearer credential, which browsers never do. */
const isProgram = (request: FastifyRequest): boolean =>
  bearerOf(request) !== undefined ||
  ![undefined, HTML_TYPE].includes(preferred(request, [HTML_TYPE, JSON_TYPE, ...kindOfJson(request)]));

/** Whether a person visits a page and can be redirected to another one. */
export const isVisit = ({ request, route }: { request: FastifyRequest; route: AnyRoute }): boolean =>
  route.kind === 'page' && !isProgram(request);

/**
 * Whether an error is answered with a page: if a person visits a page, or a browser opened the address. At an unknown
 * address the method does not tell who asks.
 */
export function wantsErrorPage(request: FastifyRequest, route: AnyRoute | undefined): boolean {
  if (route?.alwaysErrorPage) return true;
  if (route?.takesAnyMethod) return false;
  if (route?.kind === 'page') return isVisit({ request, route });
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return (isRead || !route) && prefersHtml(request) && bearerOf(request) === undefined;
}
