import type { SampleText } from '../../../ui/define-page.ts';
import type { DeviceGrantPage } from './page.ts';

export function samples(text: SampleText): Record<string, DeviceGrantPage> {
  const request = {
    userCode: text('BCDF-GHJK'),
    application: text('Harbour for television'),
    scopes: ['openid', 'profile'] as const,
    address: text('192.0.2.17'),
    csrfToken: text('token'),
    username: text('ada'),
    fullName: text('Ada Lovelace'),
    hasImage: false,
    refusal: undefined,
  };
  const application = text('Harbour for television');
  return {
    ask: { state: 'ask', typed: undefined },
    unknown: { state: 'ask', typed: text('BBBB-BBBB') },
    pending: { state: 'pending', typed: undefined, request },
    'pending-image': { state: 'pending', typed: undefined, request: { ...request, hasImage: true } },
    refused: { state: 'pending', typed: undefined, request: { ...request, refusal: { code: 'CSRF_INVALID' } } },
    approved: { state: 'approved', typed: undefined, application },
    denied: { state: 'denied', typed: undefined, application },
  };
}
