// Functions that find out whether the client of a request prefers a page or JSON.
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { bearerOf } from './bearer.ts';
import type { AnyRoute } from './route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

/** Returns the type that the client prefers. If several are equal, the first in `types` wins (RFC 9110 §12.5.1). */
const preferred = ({ headers }: FastifyRequest, types: string[]): string | undefined =>
  new Negotiator({ headers }).mediaType(types);

/** Returns whether the client prefers an HTML page to JSON. A client without a preference gets JSON. */
export const prefersHtml = (request: FastifyRequest): boolean =>
  preferred(request, [JSON_TYPE, HTML_TYPE]) === HTML_TYPE;

/** Returns the client's most preferred media type that ends in `+json` (RFC 6839 §3.1), in a list of at most one. */
const kindOfJson = ({ headers }: FastifyRequest): string[] =>
  new Negotiator({ headers })
    .mediaTypes()
    .filter((type) => type.endsWith('+json'))
    .slice(0, 1);

/**
 * Returns whether a program requests a page. A program prefers JSON, or sends a bearer credential, which browsers
 * never do.
 */
const isProgram = (request: FastifyRequest): boolean =>
  bearerOf(request) !== undefined ||
  ![undefined, HTML_TYPE].includes(preferred(request, [HTML_TYPE, JSON_TYPE, ...kindOfJson(request)]));

/** Returns whether a person visits a page, so that a redirect to another page makes sense. */
export const isVisit = ({ request, route }: { request: FastifyRequest; route: AnyRoute }): boolean =>
  route.kind === 'page' && !isProgram(request);

/**
 * Returns whether an error is answered with a page. That is so if a person visits a page, or if a browser opened
 * the URL. For an unknown URL, a POST may come from a browser too, so the method is ignored there.
 */
export function wantsErrorPage(request: FastifyRequest, route: AnyRoute | undefined): boolean {
  if (route?.alwaysErrorPage) return true;
  if (route?.takesAnyMethod) return false;
  if (route?.kind === 'page') return isVisit({ request, route });
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return (isRead || !route) && prefersHtml(request) && bearerOf(request) === undefined;
}
