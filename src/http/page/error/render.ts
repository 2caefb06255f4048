import { LRUCache } from 'lru-cache';
import { randomHex } from '../../../lib/random.ts';
import type { Renderer } from '../../../ui/render.ts';
import type { Language } from '../../../ui/texts/languages.ts';
import { type ErrorPage, errorPage } from './page.ts';

/** Enough for every error in every language with a number of waits and ways on. A page takes about 4 KB. */
const MAX_KEPT = 500;

/**
 * Renders error pages, each once: pages of one content and language differ only in their request id. A client that is
 * refused again and again then costs less than one that is served.
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
