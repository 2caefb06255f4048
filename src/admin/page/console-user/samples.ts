import { builtInProviderNames } from '../../../settings/provider-names.ts';
import type { SampleText } from '../../../ui/define-page.ts';
import { type ConsoleUserPage, consoleUserPageData } from './data.ts';

const AT = '2026-01-02T03:04:05.006Z';

export function samples(text: SampleText): Record<string, ConsoleUserPage> {
  const around = {
    csrfToken: text('token'),
    roles: [text('normaluser'), text('superadmin')],
    knownApps: ['authsvc', 'wiki'],
    ownApp: 'authsvc',
    providers: [...builtInProviderNames],
    isOwn: true,
    sendsMail: true,
  };
  const full = consoleUserPageData({
    ...around,
    user: {
      id: 7,
      sub: '1d3f2c6e-0f5b-4c57-9a51-2f0f8f3a7f10',
      user_id: 7,
      username: text('ada'),
      full_name: text('Ada Lovelace'),
      role: text('superadmin'),
      is_active: true,
      allowed_apps: [text('authsvc'), text('portal')],
      image: text('https://example.com/ada.png'),
      email: text('ada@example.com'),
      has_password: true,
      two_factor_enabled: true,
      created_at: AT,
      last_login_at: AT,
      version: 4,
      recovery_codes_left: 8,
      trusted_browsers: 2,
      passkeys: [{ ref: text('6f2b1c9d0e3a4b5c6d7e8f90'), name: text('Laptop'), created_at: AT, last_used_at: AT }],
      connections: [{ provider: text(builtInProviderNames[0]), account_id: text('583231'), created_at: AT }],
    },
  });
  const bare = {
    ...full.user,
    full_name: '',
    is_active: false,
    allowed_apps: [],
    image: '',
    email: null,
    has_password: false,
    two_factor_enabled: false,
    last_login_at: null,
    recovery_codes_left: 0,
    trusted_browsers: 0,
    passkeys: [],
    connections: [],
  };
  const others = { ...around, providers: [], isOwn: false };
  return {
    full,
    bare: consoleUserPageData({ ...others, user: bare }),
    invited: consoleUserPageData({
      ...others,
      user: {
        ...bare,
        role: text('normaluser'),
        is_active: true,
        allowed_apps: [text('wiki')],
        email: text('eve@example.com'),
      },
    }),
  };
}
