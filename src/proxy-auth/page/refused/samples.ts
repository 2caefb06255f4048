import type { SampleText } from '../../../ui/define-page.ts';
import type { RefusedPage } from './page.ts';

export function samples(text: SampleText): Record<string, RefusedPage> {
  const backURL = `https://wiki.example.com/${text('page')}`;
  const refused: RefusedPage = {
    reason: 'APP_NOT_ALLOWED',
    username: text('ada'),
    signInURL: `https://auth.example.com/authsvc/accounts?redirect=${encodeURIComponent(backURL)}`,
    backURL,
  };
  return { refused, 'signed-out': { ...refused, reason: 'NOT_SIGNED_IN', username: '' } };
}
