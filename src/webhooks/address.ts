import { isIP } from 'node:net';
import { AppError } from '../errors/app-error.ts';
import { isPublicAddress } from '../lib/public-address.ts';

const MAX_URL = 2048;
/** Matches characters that may not be in a URL, and the # of a fragment, because fragments are not sent. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Z}#\\]/u;

/** The settings that decide which addresses a webhook may have. */
export interface AddressRules {
  IS_DEPLOYED: boolean;
  WEBHOOK_PRIVATE_NETWORKS: 'on' | 'off';
}

/** Returns whether webhooks may be sent to an IP address. */
export const isAllowedAddress = (
  address: string,
  { WEBHOOK_PRIVATE_NETWORKS: privateNetworks }: AddressRules,
): boolean => privateNetworks === 'on' || isPublicAddress(address);

/**
 * Returns whether webhooks may be sent to a URL. This checks the scheme, and the host if it is an IP address. A host name
 * is checked later, when it is resolved.
 *
 * @param url parsed by the WHATWG rules, which convert every spelling of an IPv4 address to the usual one
 */
export function mayCall(url: URL, rules: AddressRules): boolean {
  if (rules.IS_DEPLOYED && url.protocol !== 'https:') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isAllowedAddress(host, rules);
}

/**
 * Checks the URL of a webhook.
 *
 * @throws AppError FIELD_INVALID if it is not an http or https URL, or has credentials or a fragment; ADDRESS_NOT_ALLOWED
 *   if the settings forbid its scheme or address
 */
export function parseWebhookUrl(text: string, rules: AddressRules): string {
  const [, authority] = /^https?:\/\/([^/?]+)/i.exec(text) ?? [];
  if (!authority || authority.includes('@') || text.length > MAX_URL || UNFIT.test(text) || !URL.canParse(text))
    throw new AppError('FIELD_INVALID', { field: 'url', reason: 'webhook' });
  if (!mayCall(new URL(text), rules)) throw new AppError('ADDRESS_NOT_ALLOWED', { field: 'url' });
  return text;
}
