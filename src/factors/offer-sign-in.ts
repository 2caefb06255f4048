import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { type CredentialDescriptor, describeCredentials } from './passkey-answer.ts';
import { CHALLENGE_LIFE_MS, type ChallengeHolder, type ChallengePurpose, issueChallenge } from './passkey-challenge.ts';
import { requireParty } from './passkey-party.ts';
import { passkeysOfUser } from './passkey-queries.ts';

/** What a browser passes on to its authenticators (PublicKeyCredentialRequestOptionsJSON). */
export interface RequestOptions {
  challenge: string;
  rpId: string;
  /** Empty: the authenticator knows whose passkeys it has. */
  allowCredentials: CredentialDescriptor[];
  userVerification: 'required';
  /** Milliseconds. */
  timeout: number;
}

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'baseUrl'>;

async function offer(
  services: Needs,
  asked: { holder: ChallengeHolder; purpose: ChallengePurpose },
  allowCredentials: CredentialDescriptor[],
): Promise<RequestOptions> {
  const { rpId } = requireParty(services);
  const challenge = await issueChallenge(services.database, { ...asked, now: services.clock.now() });
  return { challenge, rpId, allowCredentials, userVerification: 'required', timeout: CHALLENGE_LIFE_MS };
}

/**
 * Asks the authenticators of a browser for a sign-in. No user is named.
 *
 * @throws AppError NOT_FOUND while passkeys are off
 * @see Web Authentication Level 3 §5.5
 */
export const offerPasskeySignIn = (services: Needs, holder: ChallengeHolder): Promise<RequestOptions> =>
  offer(services, { holder, purpose: 'sign-in' }, []);

/**
 * Asks the user of a session for one of their passkeys.
 *
 * @throws AppError CONFIRMATION_FAILED if the user has none; NOT_FOUND while passkeys are off
 */
export async function offerPasskeyConfirmation(
  services: Needs,
  userId: number,
  holder: ChallengeHolder,
): Promise<RequestOptions> {
  const passkeys = await passkeysOfUser.all(services.database, { userId });
  if (passkeys.length === 0) throw new AppError('CONFIRMATION_FAILED', { userId });
  return offer(services, { holder, purpose: 'confirmation' }, describeCredentials(passkeys));
}
