import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { Settings } from '../settings/table.ts';
import type { Page } from '../ui/define-page.ts';
import type { Renderer } from '../ui/render.ts';
import { pickLanguage } from '../ui/texts/languages.ts';
import { Html, type ReplyView } from './reply.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';

interface PageTarget {
  request: FastifyRequest;
  reply: ReplyView;
  services: { renderer: Renderer; settings: Pick<Settings, 'LANGUAGE'> };
}

/** Renders a page in the language of the settings, else in the one that the browser prefers. */
export function renderPage<Data extends object>(target: PageTarget, page: Page<Data>, data: NoInfer<Data>): Html {
  const { request, reply, services } = target;
  reply.header('vary', 'Accept-Language, Cookie');
  const language = pickLanguage(request.headers['accept-language'], services.settings.LANGUAGE);
  return new Html(services.renderer.page(page, data, { language }));
}

/** Whether the client would rather read a page than JSON (RFC 9110 §12.5.1); who does not care gets JSON. */
export function prefersHtml({ headers }: FastifyRequest): boolean {
  return new Negotiator({ headers }).mediaType([JSON_TYPE, HTML_TYPE]) === HTML_TYPE;
}
