import { isIP } from 'node:net';
import { publicUrl } from './public-url.ts';
import type { TableSettings } from './table.ts';

type PartySettings = Pick<TableSettings, 'PASSKEYS' | 'PASSKEY_RP_ID' | 'IS_DEPLOYED' | 'DOMAIN' | 'BASE_URL' | 'PORT'>;

/** Whether the host of a URL is an IP address. An IPv6 address is in brackets there. */
const isAddress = (host: string): boolean => isIP(host.replace(/^\[|\]$/g, '')) !== 0;

/** The host of BASE_URL. */
export const publicHost = (settings: Pick<TableSettings, 'BASE_URL' | 'PORT'>): string =>
  new URL(publicUrl(settings)).hostname;

/** Whether passkeys are off only because BASE_URL has an IP address, for which browsers accept no passkeys. */
export const lacksPasskeyHost = (settings: PartySettings): boolean =>
  settings.PASSKEYS === 'on' && isAddress(publicHost(settings));

/**
 * Returns the RP id, which browsers bind passkeys to; undefined while passkeys are off.
 *
 * @see Web Authentication Level 3 §4 Relying Party Identifier
 */
export function passkeyRpId(settings: PartySettings): string | undefined {
  return settings.PASSKEYS === 'off' || lacksPasskeyHost(settings) ? undefined : importedRpId(settings);
}

/** The RP id of passkeys that are imported: as `passkeyRpId`, also while passkeys are off. */
export function importedRpId(settings: PartySettings): string {
  const domain = settings.IS_DEPLOYED ? settings.DOMAIN : undefined;
  return settings.PASSKEY_RP_ID ?? domain ?? publicHost(settings);
}
