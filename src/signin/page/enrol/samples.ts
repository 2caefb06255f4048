import type { SampleText } from '../../../ui/define-page.ts';
import type { EnrolPage } from './page.ts';

const QR =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M1 1h3v3h-3zM5 1h3v3h-3zM1 5h3v3h-3z"/></svg>';

export function samples(text: SampleText): Record<string, EnrolPage> {
  const usual: EnrolPage = {
    csrfToken: text('token'),
    customURL: `/${text('reports')}`,
    trustDeviceDays: 7,
    username: text('ada'),
    step: text('step'),
    draft: undefined,
    recoveryCodes: undefined,
    refusal: undefined,
    trusts: false,
  };
  const draft = { qr_svg: text(QR), secret: text('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP') };
  return {
    usual,
    'without-trust': { ...usual, trustDeviceDays: 0 },
    'not-begun': { ...usual, refusal: { code: 'TOO_MANY_REQUESTS', isOfCode: false, waitSeconds: 40 } },
    drafted: { ...usual, draft },
    'wrong-code': { ...usual, draft, refusal: { code: 'SECOND_STEP_CODE_INCORRECT', isOfCode: true } },
    refused: { ...usual, trusts: true, draft, refusal: { code: 'CSRF_INVALID', isOfCode: false } },
    codes: { ...usual, recoveryCodes: [text('ABCDE-23456'), text('FGHJK-34567'), text('LMNPQ-45678')] },
  };
}
