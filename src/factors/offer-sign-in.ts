import type { Services } from '../http/route.ts';
import { CHALLENGE_LIFE_MS, type ChallengeHolder, issueChallenge } from './passkey-challenge.ts';
import { requireParty } from './passkey-party.ts';

/** What a browser passes on to its authenticators (PublicKeyCredentialRequestOptionsJSON). */
export interface RequestOptions {
  challenge: string;
  rpId: string;
  /** Empty: the authenticator knows whose passkeys it has. */
  allowCredentials: never[];
  userVerification: 'required';
  /** Milliseconds. */
  timeout: number;
}

/**
 * Asks the authenticators of a browser for a sign-in. No user is named.
 *
 * @throws AppError NOT_FOUND while passkeys are off
 * @see Web Authentication Level 3 §5.5
 */
export async function offerPasskeySignIn(
  services: Pick<Services, 'database' | 'clock' | 'settings' | 'baseUrl'>,
  holder: ChallengeHolder,
): Promise<RequestOptions> {
  const { rpId } = requireParty(services);
  const now = services.clock.now();
  const challenge = await issueChallenge(services.database, { holder, purpose: 'sign-in', now });
  return { challenge, rpId, allowCredentials: [], userVerification: 'required', timeout: CHALLENGE_LIFE_MS };
}
