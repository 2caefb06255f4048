import type { SampleText } from '../../../ui/define-page.ts';
import type { TestPage } from './page.ts';

export function samples(text: SampleText): Record<string, TestPage> {
  const session: TestPage = {
    userId: 42,
    username: text('ada'),
    fullName: text('Ada Lovelace'),
    role: 'superadmin',
    sessionId: text('c5a7c1e2-0b8d-4f0e-9d1c-6a1f2b3c4d5e'),
    expiresAt: '2026-01-02T03:04:05.006Z',
    csrfToken: text('token'),
    image: undefined,
  };
  return {
    session,
    'without-name': { ...session, role: text('editor'), fullName: '', image: 'https://pictures.example/ada.png' },
    'api-token': { ...session, sessionId: undefined, expiresAt: undefined },
  };
}
