import { AppError } from '../errors/app-error.ts';
import type { Services } from '../http/route.ts';
import { type CredentialDescriptor, describeCredentials } from './passkey-answer.ts';
import { CHALLENGE_LIFE_MS, type ChallengeHolder, type ChallengePurpose, issueChallenge } from './passkey-challenge.ts';
import { requireParty } from './passkey-party.ts';
import { passkeysOfUser } from './passkey-queries.ts';

/** The options that a browser passes to authenticators to use a passkey (PublicKeyCredentialRequestOptionsJSON). */
export interface RequestOptions {
  challenge: string;
  rpId: string;
  /** Empty for a sign-in, because the authenticator then offers every passkey that it has for this service. */
  allowCredentials: CredentialDescriptor[];
  userVerification: 'required';
  /** In milliseconds. */
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
 * Returns the options for a sign-in with a passkey. They name no user.
 *
 * @throws AppError NOT_FOUND while passkeys are off
 * @see Web Authentication Level 3 §5.5
 */
export const offerPasskeySignIn = (services: Needs, holder: ChallengeHolder): Promise<RequestOptions> =>
  offer(services, { holder, purpose: 'sign-in' }, []);

/**
 * Returns the options with which the user of a session confirms a change with one of their passkeys.
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
