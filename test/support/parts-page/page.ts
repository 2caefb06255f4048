import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { definePage } from '../../../src/ui/define-page.ts';

/** What the template needs. */
interface PartsPage {
  username: string;
}

/** A page that no one visits: it shows every shared part, also those that no page of the service uses yet. */
export const partsPage = definePage({
  name: 'parts',
  texts: { en: {}, de: {} },
  samples: (text): Record<string, PartsPage> => ({ all: { username: text('ada') } }),
});

/** Its template, for a renderer. */
export const partsTemplate: ReadonlyMap<string, string> = new Map([
  ['parts.eta', readFileSync(join(import.meta.dirname, 'template.eta'), 'utf8')],
]);
