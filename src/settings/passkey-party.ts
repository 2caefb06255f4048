import { isIP } from 'node:net';
import { publicUrl } from './public-url.ts';
import type { TableSettings } from './table.ts';

type PartySettings = Pick<TableSettings, 'PASSKEYS' | 'PASSKEY_RP_ID' | 'IS_DEPLOYED' | 'DOMAIN' | 'BASE_URL' | 'PORT'>;

/** Returns whether the host of a URL is an IP address. In a URL, an IPv6 address is in brackets. */
const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/** Returns the host name of the service's public address. */
export const publicHost = (settings: Pick<TableSettings, 'BASE_URL' | 'PORT'>): string =>
  new URL(publicUrl(settings)).hostname;

/**
 * Returns whether passkeys are off only because BASE_URL has an IP address. Browsers accept no passkeys for IP
 * addresses.
 */
export const lacksPasskeyHost = (settings: PartySettings): boolean =>
  settings.PASSKEYS === 'on' && isAddress(publicHost(settings));

/**
 * Returns the relying party id (RP id) to which browsers bind passkeys; undefined while passkeys are off.
 *
 * @see Web Authentication Level 3 §4 Relying Party Identifier
 */
export function passkeyRpId(settings: PartySettings): string | undefined {
  return settings.PASSKEYS === 'off' || lacksPasskeyHost(settings) ? undefined : importedRpId(settings);
}

/** Returns the RP id of imported passkeys. Unlike `passkeyRpId`, it also returns an id while passkeys are off. */
export function importedRpId(settings: PartySettings): string {
  const domain = settings.IS_DEPLOYED ? settings.DOMAIN : undefined;
  return settings.PASSKEY_RP_ID ?? domain ?? publicHost(settings);
}
