import { errorCategories, errorNames, errorRegistry } from '../errors/registry.ts';
import type { PageData } from '../ui/render.ts';
import type { ServiceInfo } from './schemas.ts';

/** Every entry of the error registry, by category. */
export function errorListPage(): PageData['error-list'] {
  return {
    categories: errorCategories.map(({ name, from, to }) => ({
      name,
      range: `${from}–${to}`,
      entries: errorNames
        .map((entry) => ({ name: entry, ...errorRegistry[entry] }))
        .filter(({ number }) => number >= from && number <= to)
        .sort((a, b) => a.number - b.number),
    })),
  };
}

/** The public settings in the order and company in which people look for them. */
export const settingGroups: readonly { name: string; keys: readonly string[] }[] = [
  {
    name: 'signIn',
    keys: [
      'AUTHSVC_TWO_FA_ENABLE',
      'DEVICE_TRUST_DURATION_DAYS',
      'CODEHOST_LOGIN_ENABLED',
      'WEBSSO_LOGIN_ENABLED',
      'COOKIE_EXPIRE_TIME',
      'LOGIN_REDIRECT_URL',
    ],
  },
  { name: 'limits', keys: ['MAX_SESSIONS_PER_USER', 'MAX_REMEMBERED_ACCOUNTS', 'MAX_TOKENS_PER_USER'] },
  { name: 'service', keys: ['APP_NAME', 'BASE_URL', 'DOMAIN', 'IS_DEPLOYED', 'UPDATE_CHECK', 'env'] },
];

/** What the service tells of itself, for people. */
export function infoPage(info: ServiceInfo): PageData['info'] {
  return {
    latestVersion: info.latest_version ?? undefined,
    updateAvailable: info.update_available,
    groups: settingGroups.map(({ name, keys }) => ({
      name,
      settings: keys.map((key) => ({ key, value: info.config[key] ?? undefined })),
    })),
  };
}
