import type { Services } from '../http/route.ts';
import { randomText } from '../lib/random.ts';
import { shownName } from '../settings/application-name.ts';
import type { User } from '../users/user.ts';
import { type CredentialDescriptor, describeCredentials } from './passkey-answer.ts';
import { CHALLENGE_LIFE_MS, type ChallengeHolder, type ChallengePurpose, issueChallenge } from './passkey-challenge.ts';
import { requireParty } from './passkey-party.ts';
import { handleOfUser, insertHandle, passkeysOfUser } from './passkey-queries.ts';

const HANDLE_BYTES = 64;

/**
 * The signature algorithms that passkeys may use, as COSE numbers. The preferred one comes first: ES256, EdDSA,
 * RS256.
 */
export const KEY_ALGORITHMS = [-7, -8, -257] as const;

type Needs = Pick<Services, 'database' | 'clock' | 'settings' | 'baseUrl'>;

/**
 * The options that a browser passes to authenticators to create a passkey (PublicKeyCredentialCreationOptionsJSON).
 */
export interface CreationOptions {
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  challenge: string;
  pubKeyCredParams: { type: 'public-key'; alg: number }[];
  /** In milliseconds. */
  timeout: number;
  attestation: 'none';
  /** The passkeys that the user already has, so that an authenticator does not create a second one. */
  excludeCredentials: CredentialDescriptor[];
  authenticatorSelection: { residentKey: 'required'; requireResidentKey: true; userVerification: 'required' };
}

/** Returns the WebAuthn user handle of a user. It is random, so that an authenticator does not learn the user id. */
async function handleOf({ database }: Needs, userId: number): Promise<string> {
  const known = await handleOfUser.first(database, { userId });
  if (known) return known.handle;
  await insertHandle.run(database, { userId, handle: randomText(HANDLE_BYTES) });
  const made = await handleOfUser.first(database, { userId });
  if (!made) throw new Error(`user ${userId} got no handle for passkeys`);
  return made.handle;
}

/**
 * Returns the options with which an authenticator creates a passkey for a user.
 *
 * @throws AppError NOT_FOUND while passkeys are off
 * @see Web Authentication Level 3 §5.4, §14.6.1
 */
export async function offerPasskey(
  services: Needs,
  user: Pick<User, 'id' | 'username' | 'fullName'>,
  { holder, purpose }: { holder: ChallengeHolder; purpose: ChallengePurpose },
): Promise<CreationOptions> {
  const { database, clock, settings } = services;
  const { rpId } = requireParty(services);
  const handle = await handleOf(services, user.id);
  const passkeys = await passkeysOfUser.all(database, { userId: user.id });
  const challenge = await issueChallenge(database, { holder, purpose, now: clock.now() });
  return {
    rp: { id: rpId, name: shownName(settings) },
    user: { id: handle, name: user.username, displayName: user.fullName || user.username },
    challenge,
    pubKeyCredParams: KEY_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_LIFE_MS,
    attestation: 'none',
    excludeCredentials: describeCredentials(passkeys),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  };
}
