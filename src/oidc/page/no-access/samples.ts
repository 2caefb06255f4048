import type { SampleText } from '../../../ui/define-page.ts';
import type { NoAccessPage } from './page.ts';

export function samples(text: SampleText): Record<string, NoAccessPage> {
  const usual: NoAccessPage = {
    application: text('Harbour'),
    switchURL: `/authsvc/accounts?redirect=${text('back')}`,
    backURL: `https://harbour.example.com/${text('callback')}`,
    username: text('ada'),
    fullName: text('Ada Lovelace'),
    hasImage: false,
  };
  return { usual, device: { ...usual, backURL: '', hasImage: true } };
}
