import type { SampleText } from '../../../ui/define-page.ts';
import type { DevicePage, DeviceRequest } from './page.ts';

export function samples(text: SampleText): Record<string, DevicePage> {
  const request: DeviceRequest = {
    userCode: text('BCDF-GHJK'),
    clientName: text('harbour-cli on build-server-7'),
    profileName: text('Harbour command line'),
    scope: 'write',
    apps: [text('Harbour')],
    expiresInDays: 30,
    address: text('192.0.2.17'),
    createdAt: '2026-01-02T03:04:05.006Z',
    ageSeconds: 90,
    expiresAt: '2026-01-02T03:19:05.006Z',
    username: text('ada'),
    fullName: text('Ada Lovelace'),
    hasImage: false,
  };
  return {
    pending: { state: 'pending', request, csrfToken: text('token') },
    refused: { state: 'pending', request, csrfToken: text('token'), refusal: { code: 'TOKEN_LIMIT_REACHED' } },
    'pending-plain': {
      state: 'pending',
      csrfToken: text('token'),
      request: { ...request, scope: 'read-only', apps: [], expiresInDays: 1, fullName: '', hasImage: true },
    },
    approved: { state: 'approved' },
    denied: { state: 'denied' },
    completed: { state: 'completed' },
    expired: { state: 'expired' },
  };
}
