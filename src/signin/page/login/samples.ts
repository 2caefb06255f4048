import { builtInProviderNames } from '../../../settings/provider-names.ts';
import type { SampleText } from '../../../ui/define-page.ts';
import type { LoginPage } from './page.ts';

export function samples(text: SampleText): Record<string, LoginPage> {
  const [first] = builtInProviderNames;
  const providersAfter = (last: string | undefined) =>
    builtInProviderNames.map((name) => ({ name, wasLast: name === last }));
  const anonymous: LoginPage = {
    providers: providersAfter(undefined),
    customURL: `/${text('reports')}`,
    application: undefined,
    userLoggedIn: false,
    adding: false,
    again: false,
    hint: '',
    username: undefined,
    fullName: undefined,
    hasImage: false,
    csrfToken: text('token'),
    refusal: undefined,
    beginAgain: undefined,
    lastLoginMethod: undefined,
    lastLoginPassword: false,
    hasPasskeys: false,
    lastLoginPasskey: false,
    hasMail: false,
    codehostLoginEnabled: true,
    webssoLoginEnabled: true,
    lastLoginCodehost: false,
    lastLoginWebsso: false,
  };
  const signedIn: LoginPage = {
    ...anonymous,
    userLoggedIn: true,
    username: text('ada'),
    fullName: text('Ada Lovelace'),
  };
  return {
    anonymous,
    'password-only': { ...anonymous, providers: [], codehostLoginEnabled: false, webssoLoginEnabled: false },
    'with-passkeys': {
      ...anonymous,
      providers: [],
      codehostLoginEnabled: false,
      webssoLoginEnabled: false,
      hasPasskeys: true,
      hasMail: true,
    },
    'last-used-passkey': { ...anonymous, hasPasskeys: true, lastLoginMethod: 'passkey', lastLoginPasskey: true },
    'with-mail': { ...anonymous, hasMail: true },
    device: { ...anonymous, customURL: '/authsvc/cli/device/BCDF-GHJK' },
    'last-used': { ...anonymous, providers: providersAfter(first), lastLoginMethod: first, lastLoginCodehost: true },
    'too-many-guesses': { ...anonymous, beginAgain: 'guesses' },
    'timed-out': { ...anonymous, beginAgain: 'time' },
    'signed-in': signedIn,
    adding: { ...signedIn, adding: true },
    again: { ...signedIn, again: true, hint: text('ada') },
    application: { ...anonymous, customURL: 'https://wiki.example.com/', application: text('Wiki') },
    'refused-name': { ...anonymous, refusal: { code: 'CREDENTIALS_REQUIRED', field: 'username' } },
    'refused-password': { ...anonymous, hint: text('ada'), refusal: { code: 'PASSWORD_INCORRECT', field: 'password' } },
    'refused-account': { ...anonymous, hint: text('ada'), refusal: { code: 'ACCOUNT_INACTIVE', field: undefined } },
    limited: {
      ...anonymous,
      hint: text('ada'),
      refusal: { code: 'TOO_MANY_LOGINS', field: undefined, waitSeconds: 43 },
    },
    hinted: { ...anonymous, hint: text('ada') },
  };
}
