import type { SampleText } from '../../../ui/define-page.ts';
import type { FormPostPage } from './page.ts';

export const samples = (text: SampleText): Record<string, FormPostPage> => ({
  usual: {
    action: `https://harbour.example.com/${text('callback')}`,
    fields: [
      { name: 'code', value: text('code') },
      { name: 'state', value: text('state') },
    ],
  },
});
