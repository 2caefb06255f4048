import { builtInProviderNames, providerSwitches } from '../../../settings/provider-names.ts';
import { definePage } from '../../../ui/define-page.ts';
import type { ServiceInfo } from '../../schemas.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { samples } from './samples.ts';

/** The data of the page, for its template. */
export interface InfoPage {
  /** Undefined if the newest version is unknown. */
  latestVersion: string | undefined;
  updateAvailable: boolean;
  /** The public settings. `value`: undefined if not set. `provider`: name of the provider that the setting turns on. */
  groups: {
    name: string;
    settings: { key: string; value: string | number | boolean | undefined; provider?: string | undefined }[];
  }[];
}

export const infoPage = definePage({ name: 'info', texts: { en, de }, samples });

/** The public settings in the groups and the order in which the page shows them. */
export const settingGroups: readonly { name: string; keys: readonly string[] }[] = [
  {
    name: 'signIn',
    keys: [
      'AUTHSVC_TWO_FA_ENABLE',
      'DEVICE_TRUST_DURATION_DAYS',
      ...providerSwitches,
      'PROVIDERS',
      'COOKIE_EXPIRE_TIME',
      'LOGIN_REDIRECT_URL',
    ],
  },
  { name: 'limits', keys: ['MAX_SESSIONS_PER_USER', 'MAX_REMEMBERED_ACCOUNTS', 'MAX_TOKENS_PER_USER'] },
  { name: 'service', keys: ['APP_NAME', 'BASE_URL', 'DOMAIN', 'IS_DEPLOYED', 'UPDATE_CHECK', 'env'] },
];

const providerOf = (key: string): string | undefined =>
  builtInProviderNames.find((_name, at) => providerSwitches[at] === key);

/** Returns the data of the page with the service information. */
export function infoPageData(info: ServiceInfo): InfoPage {
  return {
    latestVersion: info.latest_version ?? undefined,
    updateAvailable: info.update_available,
    groups: settingGroups.map(({ name, keys }) => ({
      name,
      settings: keys.map((key) => ({ key, value: info.config[key] ?? undefined, provider: providerOf(key) })),
    })),
  };
}
