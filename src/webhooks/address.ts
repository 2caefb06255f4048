import { isIP } from 'node:net';
import { AppError } from '../errors/app-error.ts';
import { isPublicAddress } from '../lib/public-address.ts';

const MAX_URL = 2048;
/** Characters that are not part of a URL, and the fragment, which is not sent. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Z}#\\]/u;

/** The settings that decide which addresses may be called. */
export interface AddressRules {
  IS_DEPLOYED: boolean;
  WEBHOOK_PRIVATE_NETWORKS: 'on' | 'off';
}

/** Whether an IP address may be called. */
export const isAllowedAddress = (
  address: string,
  { WEBHOOK_PRIVATE_NETWORKS: privateNetworks }: AddressRules,
): boolean => privateNetworks === 'on' || isPublicAddress(address);

/**
 * Whether a URL may be called, as far as the URL says it: its scheme, and its host if that is an address. A name is
 * judged when it is resolved.
 *
 * @param url parsed by the WHATWG rules, which turn every spelling of an IPv4 address into the usual one
 */
export function mayCall(url: URL, rules: AddressRules): boolean {
  if (rules.IS_DEPLOYED && url.protocol !== 'https:') return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isAllowedAddress(host, rules);
}

/**
 * The URL of a webhook.
 *
 * @throws AppError FIELD_INVALID if it is no http or https URL, or has credentials or a fragment; ADDRESS_NOT_ALLOWED
 */
export function parseWebhookUrl(text: string, rules: AddressRules): string {
  const [, authority] = /^https?:\/\/([^/?]+)/i.exec(text) ?? [];
  if (!authority || authority.includes('@') || text.length > MAX_URL || UNFIT.test(text) || !URL.canParse(text))
    throw new AppError('FIELD_INVALID', { field: 'url', reason: 'webhook' });
  if (!mayCall(new URL(text), rules)) throw new AppError('ADDRESS_NOT_ALLOWED', { field: 'url' });
  return text;
}
