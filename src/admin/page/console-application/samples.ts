import type { SampleText } from '../../../ui/define-page.ts';
import { type ConsoleApplicationPage, consoleApplicationPageData } from './data.ts';

export function samples(text: SampleText): Record<string, ConsoleApplicationPage> {
  const csrfToken = text('token');
  const signIns = [3, 0, 8].map((count, at) => ({ date: `2026-01-0${at + 1}`, count }));
  const full = consoleApplicationPageData({
    csrfToken,
    signIns,
    application: {
      id: 3,
      key: text('portal'),
      name: text('Portal'),
      urls: [text('https://portal.example.com/start')],
      redirect_uris: [text('https://portal.example.com/callback')],
      post_logout_redirect_uris: [text('https://portal.example.com/')],
      roles: [text('editor')],
      backchannel_logout_uri: text('https://portal.example.com/logout'),
      icon: text('https://portal.example.com/icon.svg'),
      is_public: false,
      is_third_party: true,
      device_flow: false,
      id_token_alg: 'RS256',
      pkce_required: true,
      is_active: true,
      created_at: '2026-01-02T03:04:05.006Z',
      version: 2,
    },
  });
  const bare = {
    ...full.application,
    urls: [],
    redirect_uris: [],
    post_logout_redirect_uris: [],
    roles: [],
    backchannel_logout_uri: null,
    icon: null,
    is_public: true,
    is_third_party: false,
    is_active: false,
  };
  return {
    full,
    bare: consoleApplicationPageData({
      csrfToken,
      signIns: signIns.map((day) => ({ ...day, count: 0 })),
      application: bare,
    }),
  };
}
