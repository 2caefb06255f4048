// What the client of a request wants to read: a page or JSON.
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { bearerOf } from './bearer.ts';
import type { AnyRoute } from './route.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

/** The type that the client accepts most; of several alike, the one that comes first here (RFC 9110 §12.5.1). */
const preferred = ({ headers }: FastifyRequest, types: string[]): string | undefined =>
  new Negotiator({ headers }).mediaType(types);

/** Whether the client would rather read a page than JSON. One that does not care gets JSON. */
export const prefersHtml = (request: FastifyRequest): boolean =>
  preferred(request, [JSON_TYPE, HTML_TYPE]) === HTML_TYPE;

/** Whether a program asks for a page: it would rather read JSON, or brings a bearer credential, as no browser does. */
const isProgram = (request: FastifyRequest): boolean =>
  bearerOf(request) !== undefined || preferred(request, [HTML_TYPE, JSON_TYPE]) === JSON_TYPE;

/** Whether a person visits a page, who can be sent to another one. */
export const isVisit = ({ request, route }: { request: FastifyRequest; route: AnyRoute }): boolean =>
  route.kind === 'page' && !isProgram(request);

/**
 * Whether an error is a page: where a person visits one, and wherever a browser went by itself. At an unknown address
 * the method tells nothing about who asks.
 */
export function wantsErrorPage(request: FastifyRequest, route: AnyRoute | undefined): boolean {
  if (route?.alwaysErrorPage) return true;
  if (route?.takesAnyMethod) return false;
  if (route?.kind === 'page') return isVisit({ request, route });
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return (isRead || !route) && prefersHtml(request) && bearerOf(request) === undefined;
}
