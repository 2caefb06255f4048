import type { SampleText } from '../../../ui/define-page.ts';
import type { AppsPage } from './page.ts';

/** The icon of a sample application. A real icon is a file on the application's host. */
const WIKI_ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#7c3aed" d="M0 0h8v8H0z"/></svg>',
);

export const samples = (text: SampleText): Record<string, AppsPage> => ({
  several: {
    apps: [
      {
        name: text('Portal'),
        url: `https://portal.example.com/${text('start')}`,
        host: text('portal.example.com'),
        icon: undefined,
      },
      {
        name: text('Wiki of the research department'),
        url: 'https://wiki.example.com/',
        host: text('wiki.example.com'),
        icon: `data:image/svg+xml,${text(WIKI_ICON)}`,
      },
    ],
  },
  none: { apps: [] },
});
