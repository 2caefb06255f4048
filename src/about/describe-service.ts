import gt from 'semver/functions/gt.js';
import valid from 'semver/functions/valid.js';
import { providerSwitches } from '../settings/provider-names.ts';
import { type SettingKey, type Settings, settingsTable } from '../settings/table.ts';
import type { ServiceInfo } from './schemas.ts';

/**
 * The public settings. Users of the service can see their values or effects anyway. Settings that reveal where the service
 * runs, which proxies it trusts or where it keeps its data are not public.
 */
export const publicSettings = [
  'APP_NAME',
  'BASE_URL',
  'DOMAIN',
  'IS_DEPLOYED',
  'LOGIN_REDIRECT_URL',
  'COOKIE_EXPIRE_TIME',
  'MAX_SESSIONS_PER_USER',
  'MAX_REMEMBERED_ACCOUNTS',
  'MAX_TOKENS_PER_USER',
  'AUTHSVC_TWO_FA_ENABLE',
  'DEVICE_TRUST_DURATION_DAYS',
  ...providerSwitches,
  'PROVIDERS',
  'UPDATE_CHECK',
  'env',
] as const satisfies readonly SettingKey[];

/** Returns the values of the public settings. Leaves out secrets, even if the list above names one by mistake. */
function publicConfig(settings: Settings): ServiceInfo['config'] {
  const shown = publicSettings.filter((key) => !('secret' in settingsTable[key] && settingsTable[key].secret));
  return Object.fromEntries(
    shown.map((key) => {
      const value = settings[key] ?? null;
      return [key, typeof value === 'object' && value ? value.join(',') : value];
    }),
  );
}

/**
 * Returns the service information: versions and public settings.
 *
 * @param latest the newest released version, or null if it is unknown; a text that is no version counts as unknown
 * @see Semantic Versioning 2.0.0 §11
 */
export function describeService(settings: Settings, version: string, latest: string | null): ServiceInfo {
  const known = valid(latest);
  return {
    version,
    latest_version: known,
    update_available: known !== null && gt(known, version),
    config: publicConfig(settings),
  };
}
