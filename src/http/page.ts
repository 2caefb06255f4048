import type { FastifyRequest } from 'fastify';
import type { Settings } from '../settings/table.ts';
import type { Page } from '../ui/define-page.ts';
import type { Renderer } from '../ui/render.ts';
import { type Language, pickLanguage } from '../ui/texts/languages.ts';
import { Html, type ReplyView } from './reply.ts';
import { inlineStyleHeaders } from './security-headers.ts';

interface LanguageTarget {
  request: FastifyRequest;
  services: { settings: Pick<Settings, 'LANGUAGE'> };
}

interface PageTarget {
  request: FastifyRequest;
  reply: ReplyView;
  services: { renderer: Renderer; settings: Pick<Settings, 'LANGUAGE' | 'IS_DEPLOYED'> };
}

/** The language of a reply: that of the settings, else the one that the browser prefers. */
export const languageOf = ({ request, services }: LanguageTarget): Language =>
  pickLanguage(request.headers['accept-language'], services.settings.LANGUAGE);

/** Renders a page in the language of the settings, else in the one that the browser prefers. */
export function renderPage<Data extends object>(target: PageTarget, page: Page<Data>, data: NoInfer<Data>): Html {
  const { reply, services } = target;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Language, Cookie' : `${vary}, Accept-Language, Cookie`);
  if (page.inlineStyle !== undefined) reply.headers(inlineStyleHeaders(services.settings, page.inlineStyle));
  return new Html(services.renderer.page(page, data, { language: languageOf(target) }));
}
