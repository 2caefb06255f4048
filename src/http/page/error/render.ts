import { LRUCache } from 'lru-cache';
import { randomHex } from '../../../lib/random.ts';
import type { Renderer } from '../../../ui/render.ts';
import type { Language } from '../../../ui/texts/languages.ts';
import { type ErrorPage, errorPage } from './page.ts';

/**
 * Maximum number of pages in the cache. It is enough for every error in every language, with several waits and
 * links. A page takes about 4 KB.
 */
const MAX_KEPT = 500;

/**
 * Creates the function that renders error pages. Pages with the same content and language differ only in the
 * request id, so each is rendered once and cached. A client that is refused repeatedly then costs less than one
 * that is served.
 */
export function createErrorPages(renderer: Renderer) {
  const idToCome = randomHex(16);
  const kept = new LRUCache<string, string>({ max: MAX_KEPT });
  return ({ requestId, ...content }: ErrorPage, language: Language): string => {
    const key = JSON.stringify([language, content]);
    const html = kept.get(key) ?? renderer.page(errorPage, { ...content, requestId: idToCome }, { language });
    kept.set(key, html);
    return html.replaceAll(idToCome, requestId);
  };
}
