import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePage } from '../../../src/ui/define-page.ts';

/** The data of the page, for its template. */
interface PartsPage {
  username: string;
}

/** A page for tests only. It shows every shared part, even those that no page of the service uses yet. */
export const partsPage = definePage({
  name: 'parts',
  texts: { en: {}, de: {} },
  samples: (text): Record<string, PartsPage> => ({ all: { username: text('ada') } }),
});

/** The template of the page, for a renderer. */
export const partsTemplate: ReadonlyMap<string, string> = new Map([
  ['parts.eta', readFileSync(join(import.meta.dirname, 'template.eta'), 'utf8')],
]);
