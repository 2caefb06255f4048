import { isWithin } from '../settings/cross-checks.ts';
import { publicHost } from '../settings/passkey-party.ts';
import type { Settings } from '../settings/table.ts';
import { type Finding, failure, fine } from './finding.ts';

/**
 * Checks that browsers accept the cookies of the service. The service does not start with the other settings that would
 * prevent this.
 */
export function checkCookies(settings: Pick<Settings, 'DOMAIN' | 'BASE_URL' | 'PORT'>): Finding {
  const { DOMAIN: domain } = settings;
  const host = publicHost(settings);
  if (domain === undefined) return fine(`Browsers send the cookies only to ${host}.`);
  if (isWithin(host, domain)) return fine(`The domain ${domain} covers ${host}.`);
  return failure(
    `DOMAIN is ${domain}, which does not cover ${host}, the host of BASE_URL, so browsers refuse the cookies.`,
    'Set DOMAIN to the host of BASE_URL or to a parent domain of it, or remove it.',
  );
}
