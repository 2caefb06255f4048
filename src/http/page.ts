import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { SAME_ORIGIN } from '../lib/safe-redirect.ts';
import type { Settings } from '../settings/table.ts';
import type { Page } from '../ui/define-page.ts';
import type { Renderer } from '../ui/render.ts';
import { pickLanguage } from '../ui/texts/languages.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

interface PageTarget {
  request: FastifyRequest;
  reply: FastifyReply;
  services: { renderer: Renderer; settings: Pick<Settings, 'LANGUAGE'> };
}

/** Renders a page in the language of the settings, else in the one that the browser prefers. */
export function renderPage<Data extends object>(target: PageTarget, page: Page<Data>, data: NoInfer<Data>): string {
  const { request, reply, services } = target;
  reply.header('vary', 'Accept-Language, Cookie').type(HTML_TYPE);
  const language = pickLanguage(request.headers['accept-language'], services.settings.LANGUAGE);
  return services.renderer.page(page, data, { language });
}

/** Sends the browser to a path of this service, or to a configured address; encodes them as a browser does. */
export function redirectTo(reply: FastifyReply, target: string): FastifyReply {
  const isPath = target.startsWith('/');
  const url = new URL(target, SAME_ORIGIN);
  return reply.redirect(isPath ? url.pathname + url.search + url.hash : url.href, 302);
}

/** Whether the client would rather read a page than JSON (RFC 9110 §12.5.1); who does not care gets JSON. */
export function prefersHtml({ headers }: FastifyRequest): boolean {
  return new Negotiator({ headers }).mediaType([JSON_TYPE, HTML_TYPE]) === HTML_TYPE;
}
