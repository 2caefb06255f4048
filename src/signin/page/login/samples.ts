import type { SampleText } from '../../../ui/define-page.ts';
import type { LoginPage } from './page.ts';

export function samples(text: SampleText): Record<string, LoginPage> {
  const anonymous: LoginPage = {
    codehostLoginEnabled: true,
    webssoLoginEnabled: true,
    customURL: `/${text('reports')}`,
    userLoggedIn: false,
    adding: false,
    username: undefined,
    csrfToken: text('token'),
    beginAgain: undefined,
    lastLoginMethod: undefined,
    lastLoginPassword: false,
    lastLoginCodehost: false,
    lastLoginWebsso: false,
  };
  const signedIn: LoginPage = { ...anonymous, userLoggedIn: true, username: text('ada') };
  return {
    anonymous,
    'password-only': { ...anonymous, codehostLoginEnabled: false, webssoLoginEnabled: false },
    device: { ...anonymous, customURL: '/authsvc/cli/device/BCDF-GHJK' },
    'last-used': { ...anonymous, lastLoginMethod: 'codehost', lastLoginCodehost: true },
    'too-many-guesses': { ...anonymous, beginAgain: 'guesses' },
    'timed-out': { ...anonymous, beginAgain: 'time' },
    'signed-in': signedIn,
    adding: { ...signedIn, adding: true },
  };
}
