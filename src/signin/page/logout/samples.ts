import type { SampleText } from '../../../ui/define-page.ts';
import type { LogoutPage } from './page.ts';

export function samples(text: SampleText): Record<string, LogoutPage> {
  const usual: LogoutPage = {
    csrfToken: text('token'),
    redirect: '',
    stayURL: `/${text('reports')}`,
    username: text('ada'),
    fullName: text('Ada Lovelace'),
    hasImage: false,
    refusal: undefined,
  };
  const application = `https://portal.example.com/${text('reports')}`;
  return {
    usual,
    application: { ...usual, redirect: application, stayURL: application, hasImage: true },
    refused: { ...usual, refusal: { code: 'CSRF_INVALID' } },
  };
}
