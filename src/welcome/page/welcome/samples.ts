import type { SampleText } from '../../../ui/define-page.ts';
import type { WelcomePage } from './page.ts';

export function samples(text: SampleText): Record<string, WelcomePage> {
  const invite: WelcomePage = {
    kind: 'invite',
    code: text('RbtTmXcXHq'),
    username: text('ada'),
    csrfToken: text('token'),
    asksForCode: false,
    signsOut: false,
    hasPasskeys: false,
    refusal: undefined,
  };
  const reset: WelcomePage = { ...invite, kind: 'reset', signsOut: true };
  return {
    invite,
    reset,
    'reset-signed-out': { ...reset, signsOut: false },
    'reset-with-code': { ...reset, asksForCode: true },
    'with-passkeys': { ...invite, hasPasskeys: true },
    'reset-with-passkeys': { ...reset, asksForCode: true, hasPasskeys: true },
    'refused-password': { ...invite, refusal: { field: 'new_password', code: 'PASSWORD_TOO_COMMON' } },
    limited: { ...reset, refusal: { field: undefined, code: 'TOO_MANY_REQUESTS', waitSeconds: 43 } },
    'refused-code': { ...reset, asksForCode: true, refusal: { field: 'token', code: 'TOTP_CODE_INCORRECT' } },
  };
}
