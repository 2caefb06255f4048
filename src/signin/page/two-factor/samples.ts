import type { SampleText } from '../../../ui/define-page.ts';
import type { TwoFactorPage } from './page.ts';

export function samples(text: SampleText): Record<string, TwoFactorPage> {
  const usual: TwoFactorPage = {
    csrfToken: text('token'),
    customURL: `/${text('reports')}`,
    trustDeviceDays: 7,
    username: text('ada'),
    triesLeft: 5,
    step: text('step'),
    refusal: undefined,
    trusts: false,
    usesRecovery: false,
  };
  return {
    usual,
    'without-trust': { ...usual, trustDeviceDays: 0 },
    recovery: { ...usual, usesRecovery: true },
    'wrong-code': { ...usual, triesLeft: 2, refusal: { code: 'SECOND_STEP_CODE_INCORRECT', isOfCode: true } },
    limited: { ...usual, refusal: { code: 'TOO_MANY_CODES', isOfCode: false, waitSeconds: 43 } },
    refused: { ...usual, trusts: true, refusal: { code: 'CSRF_INVALID', isOfCode: false } },
  };
}
