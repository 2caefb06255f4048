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

/** Returns the language of a reply: the language in the settings, or else the one that the browser prefers. */
export const languageOf = ({ request, services }: LanguageTarget): Language =>
  pickLanguage(request.headers['accept-language'], services.settings.LANGUAGE);

/**
 * Returns a page as a reply. Adds Accept-Language and Cookie to the Vary header, because the page depends on them.
 */
export function pageReply(reply: ReplyView, html: string): Html {
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Language, Cookie' : `${vary}, Accept-Language, Cookie`);
  return new Html(html);
}

/** Renders a page in the language of the settings, or else in the one that the browser prefers. */
export function renderPage<Data extends object>(target: PageTarget, page: Page<Data>, data: NoInfer<Data>): Html {
  const { reply, services } = target;
  const inlineStyle = services.renderer.inlineStyleOf(page);
  if (inlineStyle !== undefined) reply.headers(inlineStyleHeaders(services.settings, inlineStyle));
  return pageReply(reply, services.renderer.page(page, data, { language: languageOf(target) }));
}
