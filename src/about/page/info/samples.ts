import { builtInProviderNames, providerSwitches } from '../../../settings/provider-names.ts';
import type { SampleText } from '../../../ui/define-page.ts';
import type { InfoPage } from './page.ts';

export function samples(text: SampleText): Record<string, InfoPage> {
  const settings = (updateCheck: 'on' | 'off'): InfoPage['groups'] => [
    {
      name: 'signIn',
      settings: [
        { key: 'AUTHSVC_TWO_FA_ENABLE', value: true },
        { key: 'DEVICE_TRUST_DURATION_DAYS', value: 0 },
        { key: providerSwitches[0], value: true, provider: builtInProviderNames[0] },
        { key: providerSwitches[1], value: false, provider: builtInProviderNames[1] },
        { key: 'PROVIDERS', value: text('forge,corp') },
        { key: 'COOKIE_EXPIRE_TIME', value: 0.5 },
        { key: 'LOGIN_REDIRECT_URL', value: `/${text('dashboard')}` },
      ],
    },
    {
      name: 'limits',
      settings: [
        { key: 'MAX_SESSIONS_PER_USER', value: 5 },
        { key: 'MAX_REMEMBERED_ACCOUNTS', value: 5 },
        { key: 'MAX_TOKENS_PER_USER', value: 10 },
      ],
    },
    {
      name: 'service',
      settings: [
        { key: 'APP_NAME', value: text('Harbour') },
        { key: 'BASE_URL', value: `https://${text('auth.example.com')}` },
        { key: 'DOMAIN', value: undefined },
        { key: 'IS_DEPLOYED', value: false },
        { key: 'UPDATE_CHECK', value: updateCheck },
        { key: 'env', value: undefined },
      ],
    },
  ];
  return {
    update: { latestVersion: text('99.1.0'), updateAvailable: true, groups: settings('on') },
    'up-to-date': { latestVersion: text('0.1.0'), updateAvailable: false, groups: settings('on') },
    unknown: { latestVersion: undefined, updateAvailable: false, groups: settings('on') },
    'not-checked': { latestVersion: undefined, updateAvailable: false, groups: settings('off') },
  };
}
