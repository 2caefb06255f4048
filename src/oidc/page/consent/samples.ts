import type { SampleText } from '../../../ui/define-page.ts';
import type { ConsentPage } from './page.ts';

export function samples(text: SampleText): Record<string, ConsentPage> {
  const usual: ConsentPage = {
    csrfToken: text('token'),
    action: `/authsvc/oidc/interaction/${text('request')}`,
    application: text('Harbour'),
    host: text('harbour.example.com'),
    scopes: ['openid', 'profile'],
    switchURL: `/authsvc/accounts?redirect=${text('back')}`,
    username: text('ada'),
    fullName: text('Ada Lovelace'),
    hasImage: false,
    refusal: undefined,
  };
  const all: ConsentPage['scopes'] = ['openid', 'profile', 'email', 'roles', 'apps', 'offline_access'];
  return {
    usual,
    everything: { ...usual, scopes: all, hasImage: true },
    refused: { ...usual, refusal: { code: 'CSRF_INVALID' } },
  };
}
