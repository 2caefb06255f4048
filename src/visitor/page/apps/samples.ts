import type { SampleText } from '../../../ui/define-page.ts';
import type { AppsPage } from './page.ts';

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
        icon: `https://wiki.example.com/${text('icon.svg')}`,
      },
    ],
  },
  none: { apps: [] },
});
