import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { passkeyRpId } from '../settings/passkey-party.ts';
import type { RelyingParty } from './webauthn.ts';

/**
 * Returns the relying party of this service for WebAuthn.
 *
 * @throws AppError NOT_FOUND while passkeys are off
 */
export function requireParty({ settings, baseUrl }: Pick<Services, 'settings' | 'baseUrl'>): RelyingParty {
  const rpId = passkeyRpId(settings);
  if (rpId === undefined) throw new AppError('NOT_FOUND');
  return { rpId, origin: new URL(baseUrl()).origin };
}
